import "../look/window.css";
import "./settings.css";
import { start, viewOf } from "../window/start";
import Settings from "./Settings.svelte";

void start(Settings, (address) => ({ view: viewOf(address) }));
