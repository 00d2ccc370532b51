// Selects the parameters to look at: one text box acts on the table, the forest and the plots.
type Listener = () => void;

export class ParameterFilter {
  private text = "";
  private listeners = new Set<Listener>();

  set(text: string): void {
    this.text = text.trim().toLowerCase();
    this.listeners.forEach((listener) => listener());
  }
  // Every word of the filter must occur in the label or the name.
  accepts(label: string, name: string): boolean {
    const where = `${label} ${name}`.toLowerCase();
    return this.text.split(/\s+/).every((word) => where.includes(word));
  }
  listen(listener: Listener): void {
    this.listeners.add(listener);
  }
}

export const parameterFilter = new ParameterFilter();
