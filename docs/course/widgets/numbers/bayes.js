/** Naive Bayes on words. A model is {words, spam, ham, messages: {spam, ham}}: counts, and nothing else. */

import { DECIBANS_PER_NAT } from "./smoothing.js";

/** Return the words of a text, in lower case, of two characters at least. */
export function tokenize(text) {
  return text.toLowerCase().match(/[\p{L}\p{N}_]{2,}/gu) ?? [];
}

/** Return how often each word of the model is in a text: a map from its index. */
export function countWords(model, text) {
  const index = new Map(model.words.map((word, j) => [word, j]));
  const counts = new Map();
  for (const token of tokenize(text)) {
    const j = index.get(token);
    if (j !== undefined) counts.set(j, (counts.get(j) ?? 0) + 1);
  }
  return counts;
}

/** Return the evidence of one occurrence of each word, log φ_spam − log φ_ham in decibans. */
export function wordEvidence(model, alpha) {
  const total = (counts) => counts.reduce((sum, count) => sum + count, 0) + alpha * counts.length;
  const shift = Math.log(total(model.spam)) - Math.log(total(model.ham));
  return model.words.map(
    (_, j) => DECIBANS_PER_NAT * (Math.log(model.spam[j] + alpha) - Math.log(model.ham[j] + alpha) - shift),
  );
}

/** Return what speaks for spam: the prior and every word of the text, in decibans, which sum to the log-odds. */
export function explain(model, alpha, text) {
  const each = wordEvidence(model, alpha);
  const prior = DECIBANS_PER_NAT * (Math.log(model.messages.spam) - Math.log(model.messages.ham));
  const terms = [...countWords(model, text)].map(([j, count]) => ({
    word: model.words[j], count, decibans: count * each[j],
  }));
  terms.sort((a, b) => Math.abs(b.decibans) - Math.abs(a.decibans));
  const decibans = terms.reduce((sum, term) => sum + term.decibans, prior);
  return { prior, terms, decibans, probability: 1 / (1 + Math.exp(-decibans / DECIBANS_PER_NAT)) };
}

/** Return the model after it has learnt a text (times 1) or forgotten it (times −1): learning is addition. */
export function learn(model, text, label, times = 1) {
  const counts = [...model[label]];
  for (const [j, count] of countWords(model, text)) counts[j] += times * count;
  return { ...model, [label]: counts, messages: { ...model.messages, [label]: model.messages[label] + times } };
}
