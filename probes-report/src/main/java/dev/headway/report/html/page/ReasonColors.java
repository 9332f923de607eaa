package dev.headway.report.html.page;

import static dev.headway.events.reason.WaitReasonInfo.SHARED_STYLE;

import dev.headway.events.model.Cause;
import dev.headway.events.reason.WaitReasonInfo;
import dev.headway.events.reason.WaitReasonTable;
import dev.headway.report.html.figures.WaitFigures;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** The colours of what requests wait for: the same ones in every report. */
final class ReasonColors {

  private static final String OTHERS = "other reasons";

  private final List<String> roots = new ArrayList<>();
  private final boolean hasOthers;

  ReasonColors(WaitFigures waits) {
    final List<String> all = waits.by(Cause::root).stream().map(Map.Entry::getKey).toList();
    all.stream().filter(root -> styleNumber(root) != SHARED_STYLE).forEach(roots::add);
    this.hasOthers = roots.size() < all.size();
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
      styles.add(style(i < roots.size() ? roots.get(i) : OTHERS));
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
    return style(cause.root());
  }

  private static String style(String root) {
    return "w" + styleNumber(root);
  }

  private static int styleNumber(String root) {
    final WaitReasonInfo known = WaitReasonTable.of(root);
    return known == null ? SHARED_STYLE : known.style();
  }
}
