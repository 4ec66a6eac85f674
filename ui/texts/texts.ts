/** The texts of the pages in the language that is shown. A language is one module of the shape of `en.ts`. */
import { en } from './en.ts'

type Texts = typeof en
export const texts: Texts = en
