/** The texts of operators' pages, beside those that every page has. */
import { enOperator } from './en-operator.ts'
import { texts as shared } from './texts.ts'

export const texts = { ...shared, ...enOperator }
