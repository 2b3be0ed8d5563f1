// The picture as an SVG or PNG file, and tables as CSV, made in the page.
const makeDownloads = (picture) => {
  "use strict";
  const SCALE = 2; // pixels of a PNG for each unit of the picture
  const MOST_PIXELS = 2 ** 26; // that browsers draw reliably
  // What the style sheet of the page says and a picture alone would lack.
  const STYLES = ["fill", "stroke", "stroke-width", "stroke-dasharray", "stroke-linecap", "stroke-linejoin", "opacity", "rx", "font-size", "font-weight", "text-anchor"];
  const UNSEEN = "title, .ring, .landmarks";

  function offer(name, blob) {
    const address = URL.createObjectURL(blob);
    const link = document.createElement("a");
    link.href = address;
    link.download = name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(address), 10000);
  }

  // A copy of the picture as it is shown, with its styles written out and nothing hidden.
  function alone() {
    const { x, y, width, height } = picture.viewBox.baseVal;
    const copy = picture.cloneNode(true);
    const [shown, copies] = [picture, copy].map((one) => [...one.querySelectorAll("*")]);
    const unseen = [];
    shown.forEach((element, at) => {
      const style = getComputedStyle(element);
      const isLabel = element.closest("defs") !== null;
      if (!isLabel && (style.display === "none" || element.matches(UNSEEN))) return unseen.push(copies[at]);
      for (const name of STYLES) copies[at].style.setProperty(name, style.getPropertyValue(name));
      copies[at].removeAttribute("tabindex");
      copies[at].removeAttribute("role");
    });
    for (const one of unseen) one.remove();
    copy.setAttribute("xmlns", "http://www.w3.org/2000/svg");
    copy.setAttribute("width", width);
    copy.setAttribute("height", height);
    copy.style.cssText = "";
    copy.style.fontFamily = getComputedStyle(picture).fontFamily;
    const paper = document.createElementNS("http://www.w3.org/2000/svg", "rect");
    for (const [key, value] of Object.entries({ x, y, width, height })) paper.setAttribute(key, value);
    paper.style.fill = getComputedStyle(picture.closest(".picture")).backgroundColor;
    copy.prepend(paper);
    return { text: new XMLSerializer().serializeToString(copy), width, height };
  }

  const asSvg = () => offer("network.svg", new Blob([alone().text], { type: "image/svg+xml" }));

  function asPng() {
    const { text, width, height } = alone();
    const scale = Math.min(SCALE, Math.sqrt(MOST_PIXELS / (width * height)));
    const image = new Image();
    image.onload = () => {
      const canvas = document.createElement("canvas");
      [canvas.width, canvas.height] = [Math.round(scale * width), Math.round(scale * height)];
      canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
      canvas.toBlob((blob) => offer("network.png", blob), "image/png");
    };
    image.src = `data:image/svg+xml,${encodeURIComponent(text)}`;
  }

  // Rows of text and numbers, quoted where needed (RFC 4180).
  function asCsv(name, rows) {
    const cell = (value) => (/[",\r\n]/.test(value) ? `"${String(value).replaceAll('"', '""')}"` : String(value));
    offer(name, new Blob([rows.map((row) => `${row.map(cell).join(",")}\r\n`).join("")], { type: "text/csv" }));
  }
  return { asSvg, asPng, asCsv };
};
