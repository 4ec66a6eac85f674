/** Settings of `/set` and `--set`: fields of a chat request. */
import { suggestion } from '../../core/nearest.ts'
import { UsageError } from '../io.ts'

type Value = string | number | object
/** Fields of the request by their name in the API. */
export type AnswerSettings = Readonly<Record<string, Value>>

interface Setting {
  readonly field: string
  readonly use: string
  /** Returns the value; undefined if the text is none. */
  readonly read: (text: string) => Value | undefined
}

const number = (text: string) => (/^-?\d+(\.\d+)?$/.test(text) ? Number(text) : undefined)
const whole = (text: string) => (/^\d+$/.test(text) ? Number(text) : undefined)
const efforts = ['none', 'minimal', 'low', 'medium', 'high']
const effort = (text: string) => (efforts.includes(text) ? text : undefined)
/** Reads `\\n` as a line end, which cannot be typed. */
const anyText = (text: string) => (text === '' ? undefined : text.replaceAll('\\n', '\n'))
const format = (text: string) => (text === 'json' ? { type: 'json_object' } : undefined)

const settings: Readonly<Record<string, Setting>> = {
  temperature: { field: 'temperature', use: 'a number such as 0.7; 0 always takes the likeliest word', read: number },
  'top-p': { field: 'top_p', use: 'a number up to 1', read: number },
  'top-k': { field: 'top_k', use: 'a whole number: how many of the likeliest words count', read: whole },
  'max-tokens': { field: 'max_tokens', use: 'a whole number: the length of an answer', read: whole },
  stop: { field: 'stop', use: 'a text that ends an answer, \\n for a line end', read: anyText },
  format: { field: 'response_format', use: 'json: the answer is JSON', read: format },
  seed: { field: 'seed', use: 'a whole number that makes answers repeatable', read: whole },
  think: { field: 'reasoning_effort', use: efforts.join(', '), read: effort },
}

/** Returns the settings with one changed. The value `-` removes it. Throws UsageError for an unknown name or value. */
export function withSetting(current: AnswerSettings, name: string, text: string): AnswerSettings {
  const setting = Object.hasOwn(settings, name) ? settings[name] : undefined
  if (setting === undefined) {
    const names = Object.keys(settings)
    throw new UsageError(`there is no setting "${name}"${suggestion(name, names)}; there are ${names.join(', ')}`)
  }
  const { [setting.field]: _, ...others } = current
  if (text === '-') return others
  const value = setting.read(text)
  if (value === undefined) throw new UsageError(`${name} takes ${setting.use}, not "${text}"`)
  return { ...others, [setting.field]: value }
}

/** Returns a line per setting with its value. */
export function settingsText(current: AnswerSettings): string {
  return Object.entries(settings)
    .map(([name, { field, use }]) => `  ${name.padEnd(12)} ${shown(current[field]).padEnd(8)} ${use}\n`)
    .join('')
}

function shown(value: Value | undefined): string {
  if (value === undefined) return 'not set'
  return typeof value === 'object' ? 'json' : String(value).replaceAll('\n', '\\n')
}
