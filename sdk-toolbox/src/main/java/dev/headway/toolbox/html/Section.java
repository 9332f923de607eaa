package dev.headway.toolbox.html;

import java.util.List;

/** The parts that all sections are made of. Stateless. */
public final class Section {

  private static final int SHORT = 24;
  private static final int LONG = 40;

  private Section() {}

  /** Begins a section under a heading. */
  public static void open(Markup out, String id, String title) {
    out.line().open("section", "id", id).element("h2", title);
  }

  /** Ends a section. */
  public static void close(Markup out) {
    out.close("section");
  }

  /** A remark. */
  public static void note(Markup out, String text) {
    out.element("p", text, "class", "note");
  }

  /** A figure with its caption; the picture follows, then {@link #closeFigure}. */
  public static void openFigure(Markup out, String title, String caption, String style) {
    out.line().open("figure", "class", style);
    out.open("figcaption").element("b", title);
    if (!caption.isEmpty()) {
      out.text(" ").element("span", caption);
    }
    out.close("figcaption").open("div", "class", "plot");
  }

  /** Ends a figure, with the table that says the same. */
  public static void closeFigure(Markup out, List<String> header, List<List<String>> rows) {
    out.close("div");
    out.open("details").element("summary", "As a table");
    table(out, header, rows);
    out.close("details").close("figure");
  }

  /** A table; columns whose cells all begin with a digit or a sign are figures. */
  public static void table(Markup out, List<String> header, List<List<String>> rows) {
    final boolean[] figures = new boolean[header.size()];
    out.open("div", "class", "scroll").open("table").open("thead").open("tr");
    for (int i = 0; i < header.size(); i++) {
      final int column = i;
      figures[i] = !rows.isEmpty() && rows.stream().allMatch(row -> isFigure(row.get(column)));
      out.element("th", header.get(i), "scope", "col", "class", figures[i] ? "n" : "t");
    }
    out.close("tr").close("thead").open("tbody");
    for (List<String> row : rows) {
      out.open("tr");
      for (int i = 0; i < row.size(); i++) {
        out.element("td", row.get(i), "class", figures[i] ? "n" : styleOf(row.get(i)));
      }
      out.close("tr");
    }
    out.close("tbody").close("table").close("div");
  }

  /** Names of colours, beside their colours. */
  public static void legend(Markup out, List<String> names, List<String> styles) {
    out.open("ul", "class", "legend");
    for (int i = 0; i < names.size(); i++) {
      out.open("li").element("i", "", "class", styles.get(i)).text(names.get(i)).close("li");
    }
    out.close("ul");
  }

  /** Short text stays on a line, long text gets the width to be read. */
  private static String styleOf(String cell) {
    return cell.length() <= SHORT ? "t short" : cell.length() >= LONG ? "t long" : "t";
  }

  private static boolean isFigure(String cell) {
    if (cell.isEmpty()) {
      return true;
    }
    final char first = cell.charAt(0);
    return (first >= '0' && first <= '9')
        || first == '−'
        || first == '+'
        || first == '–'
        || (first == '<' && cell.endsWith("%"))
        || (first == '>' && cell.endsWith("%"));
  }
}
