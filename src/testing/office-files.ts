/** Office files for tests. */
import { zipSync } from 'fflate'

/** Returns a ZIP file of these texts. */
export function toZip(parts: Readonly<Record<string, string>>): Uint8Array {
  return zipSync(Object.fromEntries(Object.entries(parts).map(([name, text]) => [name, Buffer.from(text)])))
}

/** Returns a .docx file with this body. */
export function toDocx(body: string): Uint8Array {
  return toZip({
    '[Content_Types].xml': '<Types/>',
    'word/document.xml': `<?xml version="1.0"?><w:document xmlns:w="w"><w:body>${body}</w:body></w:document>`,
  })
}

/** Returns an .xlsx file with these sheets, each the XML of its rows. Style 1 is a date. */
export function toXlsx(sheets: Readonly<Record<string, string>>, texts: readonly string[] = []): Uint8Array {
  const names = Object.keys(sheets)
  const parts = names.map((name, index) => [
    `xl/worksheets/sheet${index + 1}.xml`,
    `<worksheet><sheetData>${sheets[name]}</sheetData></worksheet>`,
  ])
  const links = names.map(
    (_, index) => `<Relationship Id="rId${index + 1}" Target="worksheets/sheet${index + 1}.xml"/>`,
  )
  const entries = names.map((name, index) => `<sheet name="${name}" sheetId="${index + 1}" r:id="rId${index + 1}"/>`)
  return toZip({
    'xl/workbook.xml': `<workbook><sheets>${entries.join('')}</sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': `<Relationships>${links.join('')}</Relationships>`,
    'xl/styles.xml': '<styleSheet><cellXfs><xf numFmtId="0"/><xf numFmtId="14"/></cellXfs></styleSheet>',
    'xl/sharedStrings.xml': `<sst>${texts.map((text) => `<si><t>${text}</t></si>`).join('')}</sst>`,
    ...Object.fromEntries(parts),
  })
}

/** Returns a .pptx file with these slides, each the XML of its paragraphs. */
export function toPptx(slides: readonly string[]): Uint8Array {
  const parts = slides.map((body, index) => [`ppt/slides/slide${index + 1}.xml`, `<p:sld>${body}</p:sld>`])
  return toZip({ 'ppt/presentation.xml': '<p:presentation/>', ...Object.fromEntries(parts) })
}
