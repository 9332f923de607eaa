package dev.headway.server.chat;

/**
 * The line at which a template fails, which the library does not report: found by repeating what
 * failed with a trace. Exact to the tag; 1 if there is none.
 */
final class FailureLine {

  private FailureLine() {}

  /** Of a template that cannot be read. */
  static int ofReading(JinjaScript script, String source) {
    final TemplateTags tags = new TemplateTags(source);
    for (int tag = 0; tag < tags.size(); tag++) {
      if (!isTokens(script, tags.upTo(tag))) {
        return tags.line(tag);
      }
    }
    return isTokens(script, source)
        ? tags.line(script.number("tagsRead", source) - 1)
        : tags.line(tags.size() - 1);
  }

  private static boolean isTokens(JinjaScript script, String source) {
    try {
      script.attempt("isTokens", source);
      return true;
    } catch (ChatTemplateException e) {
      return false;
    }
  }

  /** Of a template that can be read and fails with these variables. */
  static int ofRendering(JinjaScript script, String source, String variables) {
    final TemplateTags tags = new TemplateTags(source);
    return tags.line(script.number("lastMark", tags.marked("passing"), variables));
  }
}
