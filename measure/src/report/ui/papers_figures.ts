/** The figures of the papers, as what `figure` draws. */
import type { Figures } from '../../analysis/figures.ts'
import { PAPER_SAYS } from '../paper.ts'
import type { FigureSpec } from './plot.ts'

export function figuresOf(f: Figures): FigureSpec[] {
  const { durations, branching, concurrency, gaps, chains, microtasks, sites } = f
  return [
    {
      id: 'durations',
      title: 'How long continuations run',
      paper: 'Figure 2',
      says: PAPER_SAYS.durations,
      x: 'duration',
      sites,
      series: [
        { name: 'not recurring', histogram: durations.turns.nonRecurring, color: 1 },
        { name: 'all', histogram: durations.turns.all, color: 1, dashed: true },
        { name: 'callbacks and batches apart', histogram: durations.items.all, color: 2, hidden: true },
      ],
    },
    {
      id: 'branching',
      title: 'How many children they have',
      paper: 'Figure 3',
      says: PAPER_SAYS.branching,
      x: 'children',
      sites,
      linearTo: 20,
      series: [
        { name: 'not recurring', histogram: branching.children.nonRecurring, color: 1 },
        { name: 'all', histogram: branching.children.all, color: 1, dashed: true },
        { name: "the parent's children", histogram: branching.siblings.nonRecurring, color: 2 },
        { name: 'the same, all', histogram: branching.siblings.all, color: 2, dashed: true, hidden: true },
      ],
    },
    {
      id: 'concurrency',
      title: 'How many edges are live across each',
      paper: 'Figure 4 (000)',
      says: PAPER_SAYS.concurrency,
      x: 'degree of concurrency',
      sites,
      linearTo: 300,
      series: [
        { name: 'edges that do not recur', histogram: concurrency.nonRecurringEdges, color: 1 },
        { name: 'all edges', histogram: concurrency.allEdges, color: 1, dashed: true },
      ],
    },
    {
      id: 'gaps',
      title: 'Gaps between parent and child',
      paper: 'Figure 5 (000), 4 (001)',
      says: PAPER_SAYS.gaps,
      x: 'gap (up to half a second, as in the papers)',
      sites,
      upTo: 500_000,
      linearTo: 20_000,
      series: [
        { name: 'uninterrupted', histogram: gaps.nonRecurring.uninterrupted, color: 1 },
        { name: 'interrupted', histogram: gaps.nonRecurring.interrupted, color: 3 },
        { name: 'uninterrupted, all', histogram: gaps.all.uninterrupted, color: 1, dashed: true, hidden: true },
        { name: 'interrupted, all', histogram: gaps.all.interrupted, color: 3, dashed: true, hidden: true },
      ],
    },
    {
      id: 'chains',
      title: 'How long chains take',
      paper: 'Figure 6 (000)',
      says: PAPER_SAYS.chains,
      x: 'from the start of the first to the end of the last',
      sites,
      linearTo: 100_000,
      series: [
        { name: 'of 2', histogram: chains[2], color: 1 },
        { name: 'of 3', histogram: chains[3], color: 2 },
        { name: 'of 4', histogram: chains[4], color: 4 },
      ],
    },
    {
      id: 'batches',
      title: 'Microtask batches by time',
      paper: 'Figure 7 (000), 5 (001)',
      says: PAPER_SAYS.microtasks,
      x: 'duration of a batch',
      sites,
      linearTo: 20_000,
      series: [{ name: 'batches', histogram: microtasks.durations, color: 1 }],
    },
    {
      id: 'batch-sizes',
      title: 'Microtask batches by size',
      paper: 'Figure 7 (000), 5 (001)',
      says: PAPER_SAYS.microtasks,
      x: 'microtasks in a batch',
      sites,
      linearTo: 100,
      series: [{ name: 'batches', histogram: microtasks.counts, color: 1 }],
    },
  ]
}
