import { useState } from 'preact/hooks'
import { Dialog } from '../../parts/dialog.tsx'
import { Field } from '../../parts/field.tsx'
import { JsonField } from '../../parts/json-field.tsx'
import { jsonProblem } from '../../parts/json-problem.ts'
import { Select } from '../../parts/select.tsx'
import { texts } from '../../texts/texts.ts'
import { type Form, noSettings, type Settings } from './settings.ts'

interface SettingsDialogProps {
  readonly settings: Settings
  readonly onSave: (settings: Settings) => void
  readonly onClose: () => void
}

/** Initial schema */
const exampleSchema = JSON.stringify(
  { type: 'object', properties: { answer: { type: 'string' } }, required: ['answer'], additionalProperties: false },
  null,
  2,
)

/** Edits the settings of the requests. Empty ones are left to the model. */
export function SettingsDialog({ settings, onSave, onClose }: SettingsDialogProps) {
  const [edited, setEdited] = useState(settings)
  const words = texts.chat.settingsWords
  const change = (changes: Partial<Settings>) => setEdited({ ...edited, ...changes })

  const chooseForm = (form: Form) => change({ form, schema: edited.schema === '' ? exampleSchema : edited.schema })

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

  const isWrong = edited.form === 'json_schema' && jsonProblem(edited.schema) !== undefined
  return (
    <Dialog title={texts.chat.settings} onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          if (isWrong) return
          onSave(edited)
          onClose()
        }}
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
        <div class="actions">
          <button type="button" onClick={() => setEdited(noSettings)}>
            {texts.chat.reset}
          </button>
          <button type="submit" class="primary" disabled={isWrong}>
            {texts.shared.done}
          </button>
        </div>
      </form>
    </Dialog>
  )
}
