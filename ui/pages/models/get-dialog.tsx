import { perform } from '../../api/operation.ts'
import { announce } from '../../parts/announce.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { Field } from '../../parts/field.tsx'
import { Form } from '../../parts/form.tsx'
import { texts } from '../../texts/texts.ts'

interface GetDialogProps {
  readonly onClose: () => void
  readonly onBegun: () => void
}

/** Begins a download of any source that the server knows. What keeps it from being done is said before the first byte. */
export function GetDialog({ onClose, onBegun }: GetDialogProps) {
  const { getTitle, getButton, source, sourceHint, newId, newIdHint, license, licenseHint } = texts.models
  const { offline, commandBundle, commandImport, downloadBegun } = texts.models
  return (
    <Dialog title={getTitle} onClose={onClose}>
      <Form
        button={getButton}
        onCancel={onClose}
        onSend={async (field) => {
          const accepted = field('acceptLicense')
          const id = field('id')
          const { model } = await perform('models-pull', {
            source: field('source'),
            ...(id !== '' && { id }),
            ...(accepted !== '' && { acceptLicense: accepted }),
          })
          announce(downloadBegun(model))
          onBegun()
        }}
      >
        <Field label={source} name="source" hint={sourceHint} maxLength={2_000} required />
        <Field label={newId} name="id" hint={newIdHint} maxLength={200} />
        <Field label={license} name="acceptLicense" hint={licenseHint} maxLength={200} />
      </Form>
      <p class="hint">
        {offline} <code>{commandBundle}</code>, <code>{commandImport}</code>
      </p>
    </Dialog>
  )
}
