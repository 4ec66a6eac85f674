/** Step times of several kinds of machines, for simulations. */

export interface SimulatedMachine {
  readonly tileRows: number
  /** Returns the time of a step with this many answers and prompt rows, in milliseconds. */
  stepMs(answers: number, promptRows: number): number
}

/**
 * Reads a table of ascending `rows:milliseconds` pairs. Values between them are interpolated, and extrapolated after
 * the last one.
 */
function fromTable(text: string): (rows: number) => number {
  const table = text.split(' ').map((entry) => entry.split(':').map(Number) as [rows: number, ms: number])
  return (rows) => {
    if (rows === 0) return 0
    const next = table.findIndex(([known]) => known >= rows)
    const at = next < 0 ? table.length - 1 : next
    const [beforeRows, beforeMs] = table[at - 1] ?? [0, table[0]?.[1] ?? 0]
    const [afterRows, afterMs] = table[at] ?? [1, 1]
    return beforeMs + ((afterMs - beforeMs) * (rows - beforeRows)) / (afterRows - beforeRows)
  }
}

const cpuTileRows = 64

/** Returns a machine on which answers and prompts take time one after the other, as with llama.cpp on a CPU. */
function cpu({ answers, prompts }: Record<'answers' | 'prompts', string>): SimulatedMachine {
  const [answersMs, promptsMs] = [fromTable(answers), fromTable(prompts)]
  return { tileRows: cpuTileRows, stepMs: (rows, promptRows) => answersMs(rows) + promptsMs(promptRows) }
}

function gpu(table: string): SimulatedMachine {
  const ms = fromTable(table)
  return { tileRows: 1, stepMs: (rows, promptRows) => ms(rows + promptRows) }
}

/** The first two were measured with `bench:steps`: a model of 0.5 B parameters in Q8_0, one thread. */
export const simulatedMachines = {
  /** Single rows cost less than pairs, and multiples of four less than other numbers. */
  'EPYC without AMX': cpu({
    answers: '1:21 2:90 4:124 5:160 7:180 8:129 9:150 11:190 12:145 15:200 16:160 28:270 31:360 32:307',
    prompts: '1:21 8:110 16:150 32:235 64:365 128:700 512:2800',
  }),
  'Xeon with AVX-512': cpu({
    answers: '1:70 2:93 3:106 4:126 5:180 7:207 8:180 12:224 16:318 20:344 24:391 28:462 31:562 32:510',
    prompts: '1:60 8:154 16:230 32:390 64:715 128:1340 512:5280',
  }),
  'CPU with AMX': cpu({ answers: '1:20 2:30 4:34 16:40 32:60', prompts: '1:20 16:38 32:50 128:150 512:600' }),
  GPU: gpu('1:10 64:11 128:14 256:22 512:40 2048:160'),
} as const satisfies Record<string, SimulatedMachine>

/**
 * An H200 with a model of 8 B parameters in Q8_0 and one cache per sequence, measured by `llama-batched-bench`. It
 * computes answers and prompts one after the other.
 */
export const h200: SimulatedMachine = (() => {
  const ms = fromTable('1:4.15 8:7.6 32:10.3 64:14.3 128:18 256:28 512:48 2048:190')
  return { tileRows: 1, stepMs: (answers, promptRows) => ms(answers) + ms(promptRows) }
})()

const rowByRowMs = fromTable('1:106 16:707 40:1674 63:2560')
const fewAnswersMs = fromTable('1:106 3:211 4:259')

/**
 * The Xeon with 3,000 tokens in each of four conversations: attention computes 64 rows together, but fewer rows one by
 * one.
 */
export const longContexts: SimulatedMachine = {
  tileRows: cpuTileRows,
  stepMs: (answers, promptRows) =>
    fewAnswersMs(answers) +
    (promptRows < cpuTileRows ? rowByRowMs(promptRows) : 12.8 * promptRows + 430 * Math.ceil(promptRows / cpuTileRows)),
}
