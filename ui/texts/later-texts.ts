/** Texts that are loaded with the parts that show them, and not with every page. */
import { downloads } from './en/downloads.ts'
import { getModel } from './en/get-model.ts'

type LaterTexts = { readonly downloads: typeof downloads; readonly getModel: typeof getModel }
export const laterTexts: LaterTexts = { downloads, getModel }
