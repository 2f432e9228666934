import "../look/window.css";
import "./compose.css";
import { start } from "../window/start";
import Compose from "./Compose.svelte";

void start(Compose, (address) => ({ draft: Number(address.searchParams.get("draft")) || null }));
