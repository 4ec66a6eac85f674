/** Settings of `/set` and `--set`: fields of a chat request. */
import { suggestion } from '../../core/nearest.ts'
import { UsageError } from '../io.ts'

type Value = string | number
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

const settings: Readonly<Record<string, Setting>> = {
  temperature: { field: 'temperature', use: 'a number such as 0.7; 0 always takes the likeliest word', read: number },
  'top-p': { field: 'top_p', use: 'a number up to 1', read: number },
  'max-tokens': { field: 'max_tokens', use: 'a whole number: the length of an answer', read: whole },
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
    .map(([name, { field, use }]) => `  ${name.padEnd(12)} ${String(current[field] ?? 'not set').padEnd(8)} ${use}\n`)
    .join('')
}
