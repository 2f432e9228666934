/** Draws a believable screenshot for the fake host, as an address that an <img> takes. */

export function drawn(name: string): string {
  const hue = [...name].reduce((sum, letter) => sum + letter.charCodeAt(0), 0) % 360;
  const bars = [...Array(7).keys()].map((line) => {
    const y = 150 + line * 70;
    const width = 180 + ((hue * (line + 3)) % 160);
    return `<path stroke="#e5e8ec" d="M222 ${y + 36}h866"/><rect x="222" y="${y}" width="90" height="18" fill="hsl(${hue} 45% 45%)"/><rect x="350" y="${y}" width="${width}" height="18" fill="#c9ced6"/><rect x="960" y="${y}" width="128" height="18" fill="#dde1e7"/>`;
  });
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1120 700" width="1120" height="700"><path fill="#fff" d="M0 0h1120v700H0z"/><path fill="hsl(${hue} 20% 90%)" d="M0 0h1120v44H0z"/><path fill="#f6f7f9" d="M0 44h190v656H0z"/><rect x="10" y="98" width="170" height="34" rx="6" fill="#dfe5ea"/><rect x="222" y="74" width="200" height="28" fill="#3b4048"/>${bars.join("")}</svg>`;
  return `data:image/svg+xml,${encodeURIComponent(svg)}`;
}
