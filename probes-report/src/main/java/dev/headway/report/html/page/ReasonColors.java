package dev.headway.report.html.page;

import dev.headway.events.model.Cause;
import dev.headway.report.html.figures.WaitFigures;
import java.util.ArrayList;
import java.util.List;

/** One colour per root of a wait in the whole page, the most important first. */
final class ReasonColors {

  private static final int COLORS = 6;
  private static final String OTHERS = "other reasons";

  private final List<String> roots;
  private final boolean hasOthers;

  ReasonColors(WaitFigures waits) {
    final List<String> all = new ArrayList<>();
    waits.by(Cause::root).forEach(entry -> all.add(entry.getKey()));
    this.hasOthers = all.size() > COLORS;
    this.roots = hasOthers ? all.subList(0, COLORS) : all;
  }

  /** The names with their own colour, and last the name of all others if there are any. */
  List<String> names() {
    final List<String> names = new ArrayList<>(roots);
    if (hasOthers) {
      names.add(OTHERS);
    }
    return names;
  }

  /** The styles of {@link #names}. */
  List<String> styles() {
    final List<String> styles = new ArrayList<>();
    for (int i = 0; i < names().size(); i++) {
      styles.add(style(i));
    }
    return styles;
  }

  /** Which of {@link #names} a cause is. */
  int indexOf(Cause cause) {
    return indexOf(cause.root());
  }

  /** Which of {@link #names} a root is. */
  int indexOf(String root) {
    final int index = roots.indexOf(root);
    return index < 0 ? roots.size() : index;
  }

  /** The style of a cause. */
  String styleOf(Cause cause) {
    return style(indexOf(cause));
  }

  private static String style(int index) {
    return "w" + Math.min(index, COLORS);
  }
}
