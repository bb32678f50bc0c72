/** Reports: a summary for the terminal, one HTML file, and the figures as JSON (`schema/figures.schema.json`). */
export { htmlReport } from './html.ts'
export { terminalSummary, type TerminalOptions } from './terminal.ts'
export { insights } from './insights.ts'
