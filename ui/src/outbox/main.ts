import "../look/window.css";
import "./outbox.css";
import { start, viewOf } from "../window/start";
import Outbox from "./Outbox.svelte";

void start(Outbox, (address) => ({ view: viewOf(address) }));
