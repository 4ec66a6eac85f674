import { useRef, useState } from 'preact/hooks'
import { Field } from '../../parts/field.tsx'
import { JsonField } from '../../parts/json-field.tsx'
import { jsonProblem } from '../../parts/json-problem.ts'
import { Select } from '../../parts/select.tsx'
import { texts } from '../../texts/texts.ts'
import { changedSettings, type Form, noSettings, type Settings } from './settings.ts'

interface SettingsFieldsProps {
  readonly settings: Settings
  /** Called at each change after which all settings can be sent. */
  readonly onSave: (settings: Settings) => void
}

/** Initial schema */
const exampleSchema = JSON.stringify(
  { type: 'object', properties: { answer: { type: 'string' } }, required: ['answer'], additionalProperties: false },
  null,
  2,
)

/** Edits the settings of the requests. Empty ones are left to the model. */
export function SettingsFields({ settings, onSave }: SettingsFieldsProps) {
  const [edited, setEdited] = useState(settings)
  const form = useRef<HTMLFormElement>(null)
  const words = texts.chat.settingsWords

  const set = (next: Settings) => {
    setEdited(next)
    const isSchemaWrong = next.form === 'json_schema' && jsonProblem(next.schema) !== undefined
    if (!isSchemaWrong && form.current?.checkValidity() === true) onSave(next)
  }
  const change = (changes: Partial<Settings>) => set({ ...edited, ...changes })
  const chooseForm = (chosen: Form) =>
    change({ form: chosen, schema: edited.schema === '' ? exampleSchema : edited.schema })

  const number = (name: 'temperature' | 'topP' | 'maxTokens' | 'seed', limits: object) => (
    <Field
      label={words[name]}
      name={name}
      type="number"
      placeholder={words.byModel}
      value={edited[name]}
      onInput={({ currentTarget }) => change({ [name]: currentTarget.value })}
      {...limits}
    />
  )

  return (
    <form
      ref={form}
      class="settings-fields"
      // A wrong number is explained once it was left.
      onChange={({ currentTarget }) => currentTarget.reportValidity()}
      onSubmit={(event) => event.preventDefault()}
    >
      <div class="field-pairs">
        {number('temperature', { min: 0, max: 2, step: 'any' })}
        {number('topP', { min: 0, max: 1, step: 'any' })}
        {number('maxTokens', { min: 1, step: 1 })}
        {number('seed', { step: 1 })}
        <Select
          label={words.effort}
          value={edited.effort}
          choices={words.efforts}
          onChange={(effort) => change({ effort })}
        />
        <Select
          label={words.parallelCalls}
          value={edited.parallelCalls}
          choices={words.parallelChoices}
          onChange={(parallelCalls) => change({ parallelCalls })}
        />
      </div>
      <label class="field">
        <span class="label">{words.stop}</span>
        <textarea
          rows={2}
          class="code"
          value={edited.stop}
          onInput={({ currentTarget }) => change({ stop: currentTarget.value })}
        />
      </label>
      <Select label={words.form} value={edited.form} choices={words.forms} onChange={chooseForm} />
      {edited.form === 'json_schema' && (
        <JsonField
          label={words.schema}
          value={edited.schema}
          rows={8}
          problem={jsonProblem(edited.schema)}
          onChange={(schema) => change({ schema })}
        />
      )}
      {changedSettings(edited) > 0 && (
        <button type="button" class="small" onClick={() => set(noSettings)}>
          {texts.chat.reset}
        </button>
      )}
    </form>
  )
}
