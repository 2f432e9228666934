/** What a preview of what leaves says. */

export const preview = {
  title: "What leaves",
  to: (destination: string, place: string) => `To ${destination}: ${place}`,
  titleOf: "Title",
  untitled: "No title yet",
  text: "Text",
  labels: "Labels",
  milestone: "Milestone",
  assignees: "Assignees",
  files: "Files",
  later: "…",
  laterWords: "“…” stands for an address that the tracker gives when it takes the file.",
};
