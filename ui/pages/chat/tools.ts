/** Tools of a conversation, as JSON in the API's form. A tool runs only when a person presses its button. */
import { jsonProblem } from '../../parts/json-problem.ts'
import { texts } from '../../texts/texts.ts'
import { calculate } from './calculate.ts'

interface ReadTools {
  readonly tools: readonly object[]
  readonly names: readonly string[]
  /** Mistake in the text. */
  readonly problem?: string
}

/** Returns the tools in a JSON text, or none and the reason if they cannot be sent. */
export function readTools(text: string): ReadTools {
  if (text.trim() === '') return { tools: [], names: [] }
  const wrong = (problem: string): ReadTools => ({ tools: [], names: [], problem })
  const problem = jsonProblem(text)
  if (problem !== undefined) return wrong(problem)
  const value: unknown = JSON.parse(text)
  if (!Array.isArray(value)) return wrong(texts.chat.toolsNoList)
  const names = value.map(nameOf)
  const unnamed = names.indexOf(undefined)
  if (unnamed >= 0) return wrong(texts.chat.toolUnnamed(unnamed + 1))
  const twice = names.find((name, index) => names.indexOf(name) !== index)
  if (twice !== undefined) return wrong(texts.chat.toolTwice(twice))
  return { tools: value, names: names.filter((name) => name !== undefined) }
}

function nameOf(tool: unknown): string | undefined {
  const named = tool as { type?: unknown; function?: { name?: unknown } } | null
  const name = named?.type === 'function' ? named.function?.name : undefined
  return typeof name === 'string' && /^[\w.-]{1,64}$/.test(name) ? name : undefined
}

type Arguments = Readonly<Record<string, unknown>>

interface SampleTool {
  readonly description: string
  readonly properties: Readonly<Record<string, { readonly type: string; readonly description: string }>>
  /** Runs in the page. */
  readonly run: (given: Arguments) => object
}

/** Sample tools, by name */
export const sampleTools: Readonly<Record<string, SampleTool>> = {
  get_time: {
    description: 'The current time in a time zone',
    properties: { time_zone: { type: 'string', description: 'A name such as Europe/Zurich' } },
    run: ({ time_zone: zone }) => {
      const options = {
        dateStyle: 'full',
        timeStyle: 'long',
        timeZone: typeof zone === 'string' ? zone : 'UTC',
      } as const
      return { time: new Intl.DateTimeFormat('en-GB', options).format(Date.now()) }
    },
  },
  calculate: {
    description: 'The value of an expression of numbers, + - * / and parentheses',
    properties: { expression: { type: 'string', description: 'An expression such as (2 + 3) * 4' } },
    run: ({ expression }) => ({ value: calculate(String(expression)) }),
  },
  get_weather: {
    description: 'The weather in a city',
    properties: { city: { type: 'string', description: 'The name of the city' } },
    run: ({ city }) => ({ city, temperature_celsius: 4, sky: 'light rain' }),
  },
}

/** Returns a sample in the API's form. */
export function sampleTool(name: string): object {
  const sample = sampleTools[name]
  if (sample === undefined) throw new Error(`there is no sample "${name}": this is a bug`)
  const { description, properties } = sample
  const parameters = { type: 'object', properties, required: Object.keys(properties) }
  return { type: 'function', function: { name, description, parameters } }
}

/** Returns the answer of a sample tool to a call, as JSON text; undefined for other tools. */
export function sampleResult(name: string, argumentsText: string): string | undefined {
  const sample = Object.hasOwn(sampleTools, name) ? sampleTools[name] : undefined
  if (sample === undefined) return undefined
  try {
    return JSON.stringify(sample.run(JSON.parse(argumentsText)))
  } catch (error) {
    return JSON.stringify({ error: error instanceof Error ? error.message : String(error) })
  }
}

/** Returns names and values of a call's arguments; undefined if they are no JSON object. */
export function readArguments(text: string): readonly (readonly [name: string, value: string])[] | undefined {
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined
    return Object.entries(value).map(([name, inner]) => [
      name,
      typeof inner === 'string' ? inner : JSON.stringify(inner),
    ])
  } catch {
    return undefined
  }
}
