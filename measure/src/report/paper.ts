/**
 * What the papers measured, in Chromium 62 on the web of 2018: the table of paper 000 as printed, the rest as far as
 * its text gives numbers (its plots have none).
 */
export const PAPER_SUBTREES = [
  { limitMs: 1, total: 837, linear: '66%', multiL: '17%', multiS: '0.7%', containL: '18%', containS: '0.2%' },
  { limitMs: 10, total: 17885, linear: '80%', multiL: '4.4%', multiS: '2.1%', containL: '15%', containS: '1.3%' },
  { limitMs: 100, total: 46515, linear: '87%', multiL: '3.9%', multiS: '2.3%', containL: '8.3%', containS: '1.5%' },
] as const

/** Sentences of the papers that our numbers can agree or disagree with. */
export const PAPER_SAYS = {
  durations:
    'Most continuations are short; a large majority take less than one millisecond. Recurring continuations ' +
    'account for a majority of the shortest.',
  branching:
    'Most continuations have at most one child; a few have many, many children. Among recurring ones there ' +
    'are more with one child, among the others more with none.',
  concurrency: 'Most continuations are concurrent with at least 10 edges, a substantial minority with at least 100.',
  gaps:
    'Many gaps are short (001: roughly half below a millisecond); the majority of the shortest are ' +
    'between recurring events. There are many uninterrupted gaps of hundreds of microseconds, far fewer ' +
    'interrupted ones.',
  chains:
    'Many chains take dozens to hundreds of milliseconds; a non-trivial fraction is under 10 ms, some under 1 ms.',
  microtasks:
    'Most batches are short by time and by count; a nontrivial minority get into the tens and hundreds of ' +
    'milliseconds, or dozens or hundreds of microtasks.',
} as const
