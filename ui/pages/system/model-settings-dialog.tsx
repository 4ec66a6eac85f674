import { useState } from 'preact/hooks'
import type { OperationJson } from '../../../src/operations/money-text.ts'
import { perform, useResult } from '../../api/operation.ts'
import { ActionButton } from '../../parts/action-button.tsx'
import { announce } from '../../parts/announce.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { Field } from '../../parts/field.tsx'
import { Form } from '../../parts/form.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { Select } from '../../parts/select.tsx'
import { texts } from '../../texts/system-texts.ts'
import { settingText } from './setting-values.ts'

type Shown = OperationJson<'model-settings-show'>
type Row = Shown['settings'][number]

interface ModelSettingsDialogProps {
  readonly model: string
  readonly onClose: () => void
  readonly onChanged: () => Promise<void>
}

/** Changes a model's own settings in the settings file, and then offers to load the model again. */
export function ModelSettingsDialog({ model, onClose, onChanged }: ModelSettingsDialogProps) {
  const words = texts.system
  const answer = useResult('model-settings-show', { model })
  const [isWritten, setIsWritten] = useState(false)
  return (
    <Dialog title={words.changeTitle([model])} onClose={onClose}>
      {isWritten ? (
        <ReloadModel model={model} onClose={onClose} />
      ) : (
        <Loaded answer={answer} lines={8}>
          {({ version, settings, isLoaded }) => (
            <div class="stack">
              <p>{words.modelDialogText}</p>
              <Form
                button={words.save}
                onCancel={onClose}
                onSend={async (field) => {
                  const changed = settings.filter((row) => field(row.name) !== settingText(row.own))
                  if (changed.length > 0) {
                    const values = Object.fromEntries(changed.map(({ name }) => [name, field(name)]))
                    await perform('model-settings-set', { model, values, version })
                    await onChanged()
                  }
                  if (changed.length > 0 && isLoaded) setIsWritten(true)
                  else onClose()
                }}
              >
                {settings.map((row) => (
                  <ModelSetting key={row.name} row={row} />
                ))}
              </Form>
            </div>
          )}
        </Loaded>
      )}
    </Dialog>
  )
}

function ModelSetting({ row }: { readonly row: Row }) {
  const words = texts.system
  const { name, key, kind, choices, help, own, inherited, inheritedFrom } = row
  const [value, setValue] = useState(settingText(own))
  const usual = words.inherited[inheritedFrom](settingText(inherited) || texts.shared.none)
  const options = kind === 'switch' ? ['true', 'false'] : choices
  if (options === null)
    return <Field label={key} name={name} defaultValue={value} placeholder={usual} hint={`${help}.`} />
  return (
    <div>
      <Select
        label={key}
        name={name}
        value={value}
        choices={{ '': usual, ...Object.fromEntries(options.map((option) => [option, option])) }}
        order={['', ...options]}
        onChange={setValue}
      />
      <p class="hint">{help}</p>
    </div>
  )
}

/** Offers to load a model again, which has its new settings only then. */
function ReloadModel({ model, onClose }: { readonly model: string; readonly onClose: () => void }) {
  const words = texts.system
  return (
    <>
      <p>{words.reloadText}</p>
      <div class="actions">
        <button type="button" class="quiet" onClick={onClose}>
          {words.later}
        </button>
        <ActionButton
          class="primary"
          onAct={async () => {
            await perform('models-load', { model })
            announce(words.modelReloaded(model))
            onClose()
          }}
        >
          {words.reloadModel}
        </ActionButton>
      </div>
    </>
  )
}
