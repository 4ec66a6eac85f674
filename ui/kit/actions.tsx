/** Buttons of three kinds in all states, and what is made of buttons. */
import { useState } from 'preact/hooks'
import { Chips } from '../parts/chips.tsx'
import { CopyButton } from '../parts/copy-button.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { Field } from '../parts/field.tsx'
import { FormDialog } from '../parts/form-dialog.tsx'
import { Icon } from '../parts/icon.tsx'
import { IconButton } from '../parts/icon-button.tsx'
import { RowMenu } from '../parts/row-menu.tsx'
import { Tabs } from '../parts/tabs.tsx'
import { Section } from './section.tsx'

const kinds = { Main: 'primary', Plain: '', Quiet: 'quiet' } as const
const variants = ['', 'small', 'danger', 'small danger'] as const

export function ActionSections() {
  return (
    <>
      <Section name="Buttons">
        {Object.entries(kinds).map(([name, kind]) => (
          <div key={name} class="row">
            {variants.map((variant) => (
              <button key={variant} type="button" class={`${kind} ${variant}`}>
                {name} {variant}
              </button>
            ))}
            <button type="button" class={kind}>
              <Icon name="plus" /> With an icon
            </button>
            <button type="button" class={kind} disabled>
              Disabled
            </button>
          </div>
        ))}
        <div class="row">
          <CopyButton text="text" what="text" />
          <CopyButton text="text" what="text" isIcon />
          <IconButton icon="rotate-cw" label="Redo" onClick={() => undefined} />
          <IconButton icon="columns-2" label="Compare" isPressed onClick={() => undefined} />
          <IconButton icon="mic" label="Dictate" isDisabled onClick={() => undefined} />
          <RowMenu label="Actions" items={[{ label: 'Rename', onChoose: () => undefined }]} />
        </div>
      </Section>
      <Choices />
      <Dialogs />
    </>
  )
}

function Choices() {
  const [choice, setChoice] = useState<'all' | 'loaded' | 'broken'>('all')
  const choices = { all: 'all 25', loaded: 'loaded 2', broken: 'broken 0' }
  return (
    <Section name="Choices">
      <Chips label="Filter" value={choice} choices={choices} onChange={setChoice} />
      <Tabs label="Views" value={choice} choices={choices} onChange={setChoice}>
        <p>What the chosen tab shows.</p>
      </Tabs>
    </Section>
  )
}

function Dialogs() {
  const [open, setOpen] = useState<'form' | 'danger' | 'text'>()
  const close = () => setOpen(undefined)
  const send = () => Promise.resolve(close())
  return (
    <Section name="Dialogs">
      <div class="row">
        <button type="button" onClick={() => setOpen('text')}>
          Open a dialog
        </button>
        <button type="button" onClick={() => setOpen('form')}>
          Open a form
        </button>
        <button type="button" class="danger" onClick={() => setOpen('danger')}>
          Open a warning
        </button>
      </div>
      {open === 'text' && (
        <Dialog title="A dialog" onClose={close}>
          <p>One thing at a time.</p>
        </Dialog>
      )}
      {open === 'form' && (
        <FormDialog title="Create a key" button="Create key" onSend={send} onClose={close}>
          <Field label="Name" name="name" hint="Shown in the list of keys." isFirst />
        </FormDialog>
      )}
      {open === 'danger' && (
        <FormDialog
          title="Revoke the key laptop?"
          text="Programs that use it are refused from now on."
          button="Revoke"
          isDangerous
          onSend={send}
          onClose={close}
        />
      )}
    </Section>
  )
}
