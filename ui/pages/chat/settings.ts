/** How an answer is asked for. Every setting is text as it was typed; an empty one is left to the model. */
export interface Settings {
  readonly temperature: string
  readonly topP: string
  readonly maxTokens: string
  readonly seed: string
  /** One string a line. */
  readonly stop: string
  readonly effort: Effort
  readonly form: Form
  /** JSON text. */
  readonly schema: string
  readonly parallelCalls: ParallelCalls
}

export type Effort = '' | 'none' | 'minimal' | 'low' | 'medium' | 'high'
export type Form = '' | 'json_object' | 'json_schema'
export type ParallelCalls = '' | 'yes' | 'no'

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

/** How many differ from what the model does by itself. A schema counts with the form that it belongs to. */
export function changedSettings(settings: Settings): number {
  const names = Object.keys(noSettings) as (keyof Settings)[]
  return names.filter((name) => name !== 'schema' && settings[name] !== '').length
}

/** Fields of a request. Throws where the schema is no JSON: the dialog lets nobody leave with one. */
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

/** Settings of a file or of the tab's memory: what is not known is left out. */
export function readSettings(value: unknown): Settings {
  const given = typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
  const known = Object.entries(noSettings).map(([name, none]) => [
    name,
    typeof given[name] === 'string' ? given[name] : none,
  ])
  return Object.fromEntries(known)
}
