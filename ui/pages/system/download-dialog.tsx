import { perform } from '../../api/operation.ts'
import { FormDialog } from '../../parts/form-dialog.tsx'
import { OwnPasswordField } from '../../parts/operator/own-password-field.tsx'
import { texts } from '../../texts/system-texts.ts'

/** Downloads a backup once the operator's password is typed. */
export function DownloadDialog({ name, onClose }: { readonly name: string; readonly onClose: () => void }) {
  const words = texts.system
  return (
    <FormDialog
      title={texts.shared.download(name)}
      button={words.download}
      onClose={onClose}
      onSend={async (field) => {
        const { ticket } = await perform('backups-open', { name, current: field('current') })
        const link = document.createElement('a')
        link.href = `/admin/api/backups/${name}?ticket=${ticket}`
        link.download = name
        link.click()
        onClose()
      }}
    >
      <OwnPasswordField hint={words.downloadText} isFirst required />
    </FormDialog>
  )
}
