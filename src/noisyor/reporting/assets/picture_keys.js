// The keyboard in the picture: arrow keys move from node to node. A picture of many nodes is one stop of the
// Tab key, so that nobody has to pass a hundred of them. `page` holds what the rest of the script shares.
const makePictureKeys = (page, isOneStop) => {
  "use strict";
  const { picture, nodeElements } = page;
  const DIRECTIONS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
  const ASIDE = 2; // how much a step to the side counts against one ahead

  const placeOf = (element) => {
    const { e, f } = element.transform.baseVal[0].matrix;
    return [e, f];
  };

  // The nearest node that is shown in a direction; null if there is none.
  function nearest(from, [right, down]) {
    const [x, y] = placeOf(from);
    let [found, least] = [null, Infinity];
    for (const element of nodeElements) {
      if (element === from || element.hasAttribute("hidden")) continue;
      const [toX, toY] = placeOf(element);
      const ahead = right * (toX - x) + down * (toY - y);
      const aside = Math.abs(right * (toY - y) + down * (toX - x));
      const distance = ahead + ASIDE * aside;
      if (ahead > 0 && distance < least) [found, least] = [element, distance];
    }
    return found;
  }

  // The node that the Tab key leads to.
  function setStop(stop) {
    if (isOneStop) for (const element of nodeElements) element.setAttribute("tabindex", element === stop ? "0" : "-1");
  }

  // After a change of what is shown: the stop must be one of the nodes in the picture.
  function keepStop(preferred) {
    const stops = nodeElements.filter((one) => one.getAttribute("tabindex") === "0" && !one.hasAttribute("hidden"));
    if (stops.length !== 1) setStop(nodeElements[preferred]);
  }

  // Chromium makes an svg that listens to the focus a stop of its own; so its frame listens.
  const frame = picture.parentElement;
  frame.addEventListener("focusin", (event) => {
    const element = event.target.closest("[data-node]");
    if (element) setStop(element);
  });
  frame.addEventListener("keydown", (event) => {
    const direction = DIRECTIONS[event.key];
    const from = event.target.closest("[data-node]");
    if (!direction || !from || event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault(); // neither scroll nor go to another member
    event.stopPropagation();
    nearest(from, direction)?.focus();
  });
  return { keepStop };
};
