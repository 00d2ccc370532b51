// Makes plots only when they come near the window, so that hundreds of parameters cost nothing until somebody looks at
// them. Before printing, the first ones are made at once.
type Make = () => void;

const waiting = new Map<Element, Make>();
const kOnPaper = 48;

function make(element: Element): void {
  const todo = waiting.get(element);
  if (!todo) return;
  waiting.delete(element);
  observer.unobserve(element);
  todo();
}

const observer = new IntersectionObserver(
  (entries) => {
    for (const entry of entries) if (entry.isIntersecting) make(entry.target);
  },
  { rootMargin: "300px 0px" },
);

export function whenVisible(element: Element, todo: Make): void {
  waiting.set(element, todo);
  observer.observe(element);
}

// Cancels a plot whose element is gone or hidden for good.
export function forget(element: Element): void {
  waiting.delete(element);
  observer.unobserve(element);
}

window.addEventListener("beforeprint", () => {
  for (const element of [...waiting.keys()].slice(0, kOnPaper)) make(element);
});
