/** What the words of the report mean. */
import { h } from './dom.ts'

const DEFINITIONS: [string, string][] = [
  [
    'Continuation',
    'What the event loop runs from when it gives control to when it gets it back, the microtasks at its end ' +
      'included. A batch of microtasks that the event loop starts by itself is a continuation too.',
  ],
  [
    'Parent',
    'The continuation that ran when this one was registered; where no registration is known, the one that ' +
      'settled the promise or sent the message.',
  ],
  ['Recurring', 'Its registration can run more than once. From the second run on, its parent is the run before.'],
  [
    'Degree of concurrency',
    'How many edges are live across it: children that run later and were registered before it started.',
  ],
  [
    'Gap',
    'From the end of the parent to the start of the child, on one event loop; interrupted if any other ' +
      'continuation of that loop runs in between.',
  ],
  ['Chain', 'Two, three or four continuations, none recurring, each the parent of the next.'],
  [
    'Potentially atomic subtree',
    'Two or more connected continuations, from the start of the first to the end of the last less than the ' +
      'limit, not part of a larger such set. Edges into recurring continuations are ignored.',
  ],
]

export const definitions = (): HTMLElement =>
  h(
    'dl',
    { class: 'definitions' },
    DEFINITIONS.flatMap(([term, text]) => [h('dt', {}, term), h('dd', {}, text)]),
  )
