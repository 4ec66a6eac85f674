/** Script of an agent, drawn from a seed. Lengths are real ones times `scale`. */
import { RandomWords } from '../../../src/testing/gguf/random-words.ts'
import { makePrompt } from '../chat/prompts.ts'

export interface ScriptOptions {
  readonly turns: number
  readonly scale: number
  readonly seed: number
}

/** Turn of an agent: the model answers, a tool is called, works for a while, and returns a result. */
export interface AgentTurn {
  readonly answerTokens: number
  /** Arguments of the called tool, as JSON. */
  readonly arguments: string
  readonly result: string
  readonly pauseMs: number
}

export interface AgentScript {
  readonly task: string
  readonly turns: readonly AgentTurn[]
}

/** Approximate lengths in tokens at scale 1. */
const lengths = { system: 2000, toolDescription: 150, task: 300, answer: 120, arguments: 60 }
const leastResult = 250
const mostResult = 750
const leastPauseMs = 200
const mostPauseMs = 2000

export const toolNames = ['read_file', 'write_file', 'list_folder', 'search', 'run_command', 'fetch_page'] as const

/** Returns system prompt and tools, the same for all agents of a seed. */
export function sharedBeginning({ scale, seed }: Pick<ScriptOptions, 'scale' | 'seed'>) {
  const tools = toolNames.map((name, index) => ({
    type: 'function',
    function: {
      name,
      description: makePrompt(scaled(lengths.toolDescription, scale), seed + 100 + index),
      parameters: { type: 'object', properties: { input: { type: 'string' } }, required: ['input'] },
    },
  }))
  return { system: makePrompt(scaled(lengths.system, scale), seed), tools }
}

/**
 * Returns the script of an agent, which differs from others from its task on. Agents end at 16,000 to 30,000 tokens at
 * scale 1, since some read more than others.
 */
export function agentScript(agent: number, { turns, scale, seed }: ScriptOptions): AgentScript {
  const first = seed + 10_000 * (agent + 1)
  const random = new RandomWords(first)
  const between = (least: number, most: number) => least + random.below(most - least + 1)
  const appetite = between(60, 140) / 100
  return {
    task: makePrompt(scaled(lengths.task, scale), first),
    turns: Array.from({ length: turns }, (_, turn) => {
      const text = first + 2 * (turn + 1)
      const result = scaled(appetite * between(leastResult, mostResult), scale)
      return {
        answerTokens: scaled(lengths.answer, scale),
        arguments: JSON.stringify({ input: makePrompt(scaled(lengths.arguments, scale), text) }),
        result: makePrompt(result, text + 1),
        pauseMs: scale * between(leastPauseMs, mostPauseMs),
      }
    }),
  }
}

function scaled(length: number, scale: number): number {
  return Math.max(1, Math.round(length * scale))
}
