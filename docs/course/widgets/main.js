/** Finds the figures of the course on a page and lets them move; without it they are pictures. */

const WIDGETS = [
  "perceptron", "least-squares", "gaussians", "smoothing", "naive-bayes",
  "gradient-descent", "hidden-layer", "margins", "bounds", "bias-variance",
];

/** Mount the widget of every figure below `root` that has none yet. */
export async function mountAll(root = document) {
  const language = document.documentElement.lang.startsWith("ko") ? "ko" : "en";
  for (const host of root.querySelectorAll("figure[data-course]")) {
    const name = host.dataset.course;
    if (host.dataset.mounted || !WIDGETS.includes(name)) continue;
    host.dataset.mounted = "loading";
    const widget = await import(new URL(`./${name}.js`, import.meta.url).href);
    widget.mount(host, widget.WORDS[language]);
    host.dataset.mounted = "yes";
  }
}

// Material loads pages without leaving the document, and announces each one here.
if (window.document$) window.document$.subscribe(() => mountAll());
else mountAll();
