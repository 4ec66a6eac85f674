import { useState } from 'preact/hooks'
import { perform } from '../../api/operation.ts'
import { ActionButton } from '../../parts/action-button.tsx'
import { Field } from '../../parts/field.tsx'
import { FormDialog } from '../../parts/form-dialog.tsx'
import { OwnPasswordField } from '../../parts/operator/own-password-field.tsx'
import { Select } from '../../parts/select.tsx'
import { texts } from '../../texts/system-texts.ts'
import { changesOf, firstText, type Setting } from './setting-values.ts'

interface SettingDialogProps {
  /** Settings that the form changes together. */
  readonly rows: readonly Setting[]
  /** Mark of the file's content that the rows were read from. */
  readonly version: string
  readonly onClose: () => void
  /** Called with what was done. */
  readonly onChanged: (text: string) => Promise<void>
}

/** Changes settings in the settings file. */
export function SettingDialog({ rows, version, onClose, onChanged }: SettingDialogProps) {
  const words = texts.system
  const keys = rows.map(({ key }) => key)
  const isGuarded = rows.some((row) => row.isGuarded)
  const [password, setPassword] = useState('')
  const set = rows.filter(({ nextSource }) => nextSource !== null && nextSource !== 'default')
  const tell = async (changed: readonly { readonly needsRestart: boolean }[]) =>
    onChanged(changed.some(({ needsRestart }) => needsRestart) ? words.settingWaits(keys) : words.settingWritten(keys))
  return (
    <FormDialog
      title={words.changeTitle(keys)}
      button={words.save}
      onClose={onClose}
      onSend={async (field) => {
        const { values, names } = changesOf(rows, field)
        const own = isGuarded ? { current: field('current') } : {}
        let known = version
        const changed = []
        if (Object.keys(values).length > 0) {
          const result = await perform('settings-set', { values: { ...values }, version: known, ...own })
          known = result.version
          changed.push(...result.settings)
        }
        if (names.length > 0)
          changed.push(...(await perform('settings-unset', { names: [...names], version: known, ...own })).settings)
        await tell(changed)
      }}
    >
      {rows.map((row) => (
        <SettingField key={row.name} row={row} />
      ))}
      {isGuarded && (
        <OwnPasswordField
          hint={words.guardedText}
          onInput={({ currentTarget }) => setPassword(currentTarget.value)}
          required
        />
      )}
      {set.length > 0 && (
        <p>
          <ActionButton
            class="small"
            onAct={async () => {
              const names = set.map(({ name }) => name)
              await tell(
                (await perform('settings-unset', { names, version, ...(isGuarded && { current: password }) })).settings,
              )
            }}
          >
            {words.backToDefault}
          </ActionButton>
        </p>
      )}
    </FormDialog>
  )
}

function SettingField({ row }: { readonly row: Setting }) {
  const words = texts.system
  const { name, key, kind, choices, allowed, help, defaultText, decidedBy, isSecret } = row
  const [value, setValue] = useState(firstText(row))
  const options = kind === 'switch' ? ['true', 'false'] : choices
  return (
    <>
      {options === null ? (
        <Field
          label={key}
          name={name}
          type={isSecret ? 'password' : 'text'}
          autoComplete={isSecret ? 'new-password' : 'off'}
          defaultValue={value}
          placeholder={defaultText}
          hint={`${help}. ${isSecret ? words.secretStays : words.allowed(allowed)}`}
        />
      ) : (
        <>
          <Select
            label={key}
            name={name}
            value={value}
            choices={Object.fromEntries(options.map((option) => [option, option]))}
            onChange={setValue}
          />
          <p class="hint">{help}</p>
        </>
      )}
      {decidedBy !== null && <p class="warn">{words.decidedBy(decidedBy)}</p>}
    </>
  )
}
