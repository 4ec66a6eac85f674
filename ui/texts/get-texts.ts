/** The texts of the dialog that gets models, which loads them, beside those of operators' pages. */
import { getModel } from './en/get-model.ts'
import { texts as operators } from './operator-texts.ts'

export const texts = { ...operators, getModel }
