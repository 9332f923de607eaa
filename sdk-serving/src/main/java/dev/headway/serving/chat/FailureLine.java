package dev.headway.serving.chat;

import dev.headway.serving.chat.ChatTemplateException.Kind;

/**
 * The line at which a template fails, which the library does not report: found by repeating what
 * failed with a trace. Exact to the tag; 1 if there is none.
 */
final class FailureLine {

  private FailureLine() {}

  /** Of a template that cannot be read. */
  static int ofReading(JinjaScript script, String source) {
    final TemplateTags tags = new TemplateTags(source);
    final int wrong = firstThatIsNoToken(script, tags);
    if (wrong < tags.size()) {
      return tags.line(wrong);
    }
    return isTokens(script, source)
        ? tags.line(script.number("tagsRead", source) - 1)
        : tags.line(tags.size() - 1);
  }

  /** What follows a wrong tag is wrong with it, so the first is found by halving. */
  private static int firstThatIsNoToken(JinjaScript script, TemplateTags tags) {
    int from = 0;
    int to = tags.size();
    while (from < to) {
      final int middle = (from + to) / 2;
      if (isTokens(script, tags.upTo(middle))) {
        from = middle + 1;
      } else {
        to = middle;
      }
    }
    return from;
  }

  private static boolean isTokens(JinjaScript script, String source) {
    try {
      script.attempt("isTokens", source);
      return true;
    } catch (ChatTemplateException e) {
      if (e.kind() == Kind.TOO_LONG) {
        throw e;
      }
      return false;
    }
  }

  /** Of a template that can be read and fails with these variables. */
  static int ofRendering(JinjaScript script, String source, String variables) {
    final TemplateTags tags = new TemplateTags(source);
    return tags.line(script.number("lastMark", tags.marked("passing"), variables));
  }
}
