import { type Signal, useSignal } from '@preact/signals'
import { status } from '../../api/session.ts'
import { alarm } from '../../parts/announce.tsx'
import { texts } from '../../texts/texts.ts'
import type { Picture, Question, TextFile } from './conversation.ts'
import { documentType, readDocument } from './read-document.ts'
import { isPictureFile, readPicture } from './read-picture.ts'
import { isSoundFile, readSound } from './read-sound.ts'
import { readTextFile } from './text-file.ts'

export interface Attachments {
  readonly pictures: Signal<readonly Picture[]>
  readonly files: Signal<readonly TextFile[]>
  /** Adds files. Tells why one cannot be sent. */
  readonly add: (files: readonly File[]) => Promise<void>
  readonly remove: (attached: Picture | TextFile) => void
  readonly clear: () => void
}

interface AttachmentModels {
  readonly model: string | undefined
  readonly blindModel: string | undefined
  readonly deafModel: string | undefined
}

/**
 * Holds the pictures, documents, recordings and text files of a message, at first those of `initial`. `blindModel`
 * takes no pictures, `deafModel` no recordings; undefined if they can be sent. Documents are counted for `model`.
 * `onChange` is called after each change.
 */
export function useAttachments(
  initial: Question,
  { model, blindModel, deafModel }: AttachmentModels,
  onChange: () => void,
): Attachments {
  const pictures = useSignal(initial.pictures)
  const files = useSignal(initial.files)

  const addPicture = async (file: File) => {
    const { image_bytes: limitBytes, images: limit } = status.value?.limits ?? {}
    if (blindModel !== undefined) throw new Error(texts.chat.cannotSee(blindModel))
    if (limit !== undefined && pictures.value.filter(isSeen).length >= limit)
      throw new Error(texts.chat.tooManyPictures(limit))
    const picture = await readPicture(file, limitBytes)
    pictures.value = [...pictures.value, picture]
  }
  const addDocument = async (file: File, type: string) => {
    const read = await readDocument(file, type, model)
    pictures.value = [...pictures.value, read]
  }
  const addSound = async (file: File) => {
    if (deafModel !== undefined) throw new Error(texts.chat.cannotHear(deafModel))
    const read = await readSound(file)
    pictures.value = [...pictures.value, read]
  }
  const addText = async (file: File) => {
    const read = await readTextFile(file)
    files.value = [...files.value, read]
  }
  return {
    pictures,
    files,
    add: async (added) => {
      for (const file of added) {
        try {
          const type = await documentType(file)
          if (type !== undefined) await addDocument(file, type)
          else if (isSoundFile(file)) await addSound(file)
          else await ((await isPictureFile(file)) ? addPicture(file) : addText(file))
          onChange()
        } catch (error) {
          alarm(error instanceof Error ? error.message : String(error))
        }
      }
    },
    remove: (attached) => {
      pictures.value = pictures.value.filter((one) => one !== attached)
      files.value = files.value.filter((one) => one !== attached)
      onChange()
    },
    clear: () => {
      pictures.value = []
      files.value = []
    },
  }
}

/** Returns whether it is a picture, which only some models see, and no document or recording. */
export function isSeen({ document }: Picture): boolean {
  return document === undefined
}
