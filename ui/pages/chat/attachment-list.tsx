import { useState } from 'preact/hooks'
import { bytesText } from '../../parts/bytes-text.ts'
import { Icon } from '../../parts/icon.tsx'
import { IconButton } from '../../parts/icon-button.tsx'
import { LongText } from '../../parts/long-text.tsx'
import { texts } from '../../texts/texts.ts'
import type { Picture, TextFile } from './conversation.ts'
import { isHeard } from './read-sound.ts'

interface AttachmentListProps {
  readonly pictures: readonly Picture[]
  readonly files: readonly TextFile[]
  /** Undefined for a message that was sent. */
  readonly onRemove?: (attached: Picture | TextFile) => void
}

/** Shows the pictures, documents, recordings and text files of a message, each with its size. */
export function AttachmentList({ pictures, files, onRemove }: AttachmentListProps) {
  if (pictures.length === 0 && files.length === 0) return null
  const removal = (attached: Picture | TextFile) =>
    onRemove !== undefined && (
      <IconButton icon="x" label={texts.chat.removeFile(attached.name)} onClick={() => onRemove(attached)} />
    )
  return (
    <ul class="attachments">
      {pictures.map((picture) => (
        <li key={picture.id} class="picture">
          {picture.document === undefined ? (
            <ShownPicture picture={picture} />
          ) : (
            <span class="document">
              <Icon name={isHeard(picture) ? 'mic' : 'file-text'} /> {picture.name}{' '}
              <span class="muted">{texts.chat.documentFacts(picture.document, bytesText(picture.bytes))}</span>
            </span>
          )}
          {removal(picture)}
        </li>
      ))}
      {files.map((file) => (
        <li key={file.id}>
          <FileText file={file} />
          {removal(file)}
        </li>
      ))}
    </ul>
  )
}

function ShownPicture({ picture: { url, name, width, height, bytes } }: { readonly picture: Picture }) {
  return (
    <>
      <img src={url} alt={name} />
      <span class="muted">
        {width} × {height}
        <br />
        {bytesText(bytes)}
      </span>
    </>
  )
}

/** Shows a file as its name, which opens to its text. */
function FileText({ file }: { readonly file: TextFile }) {
  const [isOpen, setIsOpen] = useState(false)
  return (
    <details onToggle={({ currentTarget }) => setIsOpen(currentTarget.open)}>
      <summary>
        <Icon name="file-text" /> {file.name} <span class="muted">{bytesText(file.bytes)}</span>
      </summary>
      {isOpen && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by the keyboard.
        <pre tabIndex={0} dir="auto">
          <LongText text={file.text} isCut />
        </pre>
      )}
    </details>
  )
}
