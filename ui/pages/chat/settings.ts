import { jsonProblem } from '../../parts/json-problem.ts'
import { fields, text } from './json-fields.ts'

/** Sampling settings of a chat, each as typed text. Empty leaves the choice to the model. */
export interface Settings {
  readonly temperature: string
  readonly topP: string
  readonly maxTokens: string
  readonly seed: string
  /** One stop string per line. */
  readonly stop: string
  readonly effort: Effort
  readonly form: Form
  /** JSON text. */
  readonly schema: string
  readonly parallelCalls: ParallelCalls
}

type Effort = (typeof efforts)[number]
export type Form = (typeof forms)[number]
type ParallelCalls = (typeof parallelChoices)[number]

const efforts = ['', 'none', 'minimal', 'low', 'medium', 'high'] as const
const forms = ['', 'json_object', 'json_schema'] as const
const parallelChoices = ['', 'yes', 'no'] as const

export const noSettings: Settings = {
  temperature: '',
  topP: '',
  maxTokens: '',
  seed: '',
  stop: '',
  effort: '',
  form: '',
  schema: '',
  parallelCalls: '',
}

/** Returns the number of settings that differ from the defaults. A schema counts together with its format. */
export function changedSettings(settings: Settings): number {
  const names = Object.keys(noSettings) as (keyof Settings)[]
  return names.filter((name) => name !== 'schema' && settings[name] !== '').length
}

/** Returns the request's fields. Throws if the schema is not JSON, which neither the panel nor `readSettings` accepts. */
export function settingFields(settings: Settings): Readonly<Record<string, unknown>> {
  const stop = settings.stop.split('\n').filter((line) => line !== '')
  return {
    ...numberField('temperature', settings.temperature),
    ...numberField('top_p', settings.topP),
    ...numberField('max_tokens', settings.maxTokens),
    ...numberField('seed', settings.seed),
    ...(stop.length > 0 && { stop }),
    ...(settings.effort !== '' && { reasoning_effort: settings.effort }),
    ...(settings.form === 'json_object' && { response_format: { type: 'json_object' } }),
    ...(settings.form === 'json_schema' && {
      response_format: {
        type: 'json_schema',
        json_schema: { name: 'answer', strict: true, schema: JSON.parse(settings.schema) },
      },
    }),
    ...(settings.parallelCalls !== '' && { parallel_tool_calls: settings.parallelCalls === 'yes' }),
  }
}

function numberField(name: string, text: string): object {
  return text.trim() === '' ? {} : { [name]: Number(text) }
}

/** Reads settings from a file or the tab's memory. Leaves out what could not be chosen in the panel. */
export function readSettings(value: unknown): Settings {
  const given = fields(value)
  const number = (name: string) => (Number.isFinite(Number(given[name])) ? text(given[name]) : '')
  const choice = <Known extends string>(name: string, known: readonly Known[]) =>
    known.find((one) => one === given[name])
  const schema = jsonProblem(text(given.schema)) === undefined ? text(given.schema) : ''
  const form = choice('form', forms) ?? ''
  return {
    temperature: number('temperature'),
    topP: number('topP'),
    maxTokens: number('maxTokens'),
    seed: number('seed'),
    stop: text(given.stop),
    effort: choice('effort', efforts) ?? '',
    form: form === 'json_schema' && schema === '' ? '' : form,
    schema,
    parallelCalls: choice('parallelCalls', parallelChoices) ?? '',
  }
}
