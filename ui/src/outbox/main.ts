import "../look/window.css";
import "./outbox.css";
import { start } from "../window/start";
import Outbox from "./Outbox.svelte";

void start(Outbox, (address) => ({ filter: address.searchParams.get("filter") }));
