// What happens when the page opens.

document.querySelectorAll("table.sortable").forEach(makeSortable);

for (const note of document.querySelectorAll(".needs-script")) note.remove();
for (const part of document.querySelectorAll("#sample-filters, #all-numbers")) part.hidden = false;

const numbersFold = document.getElementById("all-numbers");
numbersFold?.addEventListener(
  "toggle",
  () => listNumbers(document.getElementById("number-list"), numbersFold.querySelector("form")),
  { once: true },
);

const sampleForm = document.getElementById("sample-filters");
if (sampleForm) {
  const browser = new SampleBrowser(sampleForm, document.getElementById("sample-list"), document.getElementById("sample"));
  browser.open(sampleForm.elements.block.value).then(() => browser.follow(location.hash));
  addEventListener("hashchange", () => browser.follow(location.hash));
}

// a fold is no place to hide numbers from a printer
addEventListener("beforeprint", () => {
  for (const fold of document.querySelectorAll("main details:not(#all-numbers)")) fold.open = true;
});
