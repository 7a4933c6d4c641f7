import styles from './edit.module.css'
import { TEMPLATES, type Template } from './templates.js'

export const Templates = ({ onChoose }: { readonly onChoose: (template: Template) => void }) => (
  <section className={styles.templates} aria-label="Templates">
    <h2>Start from a template</h2>
    <ul>
      {TEMPLATES.map(template => (
        <li key={template.name}>
          <button type="button" onClick={() => onChoose(template)}>
            <strong>{template.name}</strong>
            <span>{template.about}</span>
          </button>
        </li>
      ))}
    </ul>
  </section>
)
