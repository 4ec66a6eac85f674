import { Icon } from '../../parts/icon.tsx'
import { texts } from '../../texts/texts.ts'
import type { Picture } from './conversation.ts'

interface PictureListProps {
  readonly pictures: readonly Picture[]
  readonly onRemove?: (picture: Picture) => void
}

/** Pictures of a message, each with its size. */
export function PictureList({ pictures, onRemove }: PictureListProps) {
  if (pictures.length === 0) return null
  return (
    <ul class="picture-list">
      {pictures.map((picture) => (
        <li key={picture.url}>
          <img src={picture.url} alt={picture.name} />
          <span class="muted">
            {picture.width} × {picture.height}
            <br />
            {texts.chat.bytes(picture.bytes)}
          </span>
          {onRemove !== undefined && (
            <button type="button" class="small" onClick={() => onRemove(picture)}>
              <Icon name="x" /> <span class="unseen">{texts.chat.removePicture(picture.name)}</span>
            </button>
          )}
        </li>
      ))}
    </ul>
  )
}
