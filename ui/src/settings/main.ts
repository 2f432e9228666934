import "../look/window.css";
import "./settings.css";
import { start } from "../window/start";
import Settings from "./Settings.svelte";

void start(Settings, (address) => ({ page: address.hash.slice(1) }));
