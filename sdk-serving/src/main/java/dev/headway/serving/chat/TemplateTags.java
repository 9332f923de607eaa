package dev.headway.serving.chat;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/**
 * Where the tags of a template are, so that an error can name a line: the library says what is
 * wrong and not where. One thread.
 */
final class TemplateTags {

  /** Statements between others that cannot have anything in front of them. */
  private static final Pattern INNER = Pattern.compile("\\{%[-+]?\\s*(?:end\\w*|else|elif)\\b.*");

  private record Tag(int begin, int end, int line) {}

  private final String source;
  private final List<Tag> tags = new ArrayList<>();

  TemplateTags(String source) {
    this.source = source;
    int line = 1;
    int at = 0;
    while (at < source.length()) {
      final int end = endOf(at);
      if (end > at && source.charAt(at + 1) != '#') {
        tags.add(new Tag(at, end, line));
      }
      final int next = Math.max(end, at + 1);
      line += (int) source.substring(at, next).chars().filter(c -> c == '\n').count();
      at = next;
    }
  }

  /** Returns where a tag or comment that begins there ends, or {@code at} if none does. */
  private int endOf(int at) {
    if (source.startsWith("{#", at)) {
      final int end = source.indexOf("#}", at + 2);
      return end < 0 ? source.length() : end + 2;
    }
    if (!source.startsWith("{{", at) && !source.startsWith("{%", at)) {
      return at;
    }
    final String close = source.charAt(at + 1) == '{' ? "}}" : "%}";
    int depth = 0;
    for (int i = at + 2; i < source.length(); i++) {
      final char c = source.charAt(i);
      if (depth == 0 && source.startsWith(close, i)) {
        return i + 2;
      }
      switch (c) {
        case '{' -> depth++;
        case '}' -> depth--;
        case '\'', '"' -> i = endOfText(i);
        default -> {}
      }
    }
    return source.length();
  }

  /** Returns where the quoted text that begins there has its last quote. */
  private int endOfText(int at) {
    int i = at + 1;
    while (i < source.length() && source.charAt(i) != source.charAt(at)) {
      i += source.charAt(i) == '\\' ? 2 : 1;
    }
    return i;
  }

  int size() {
    return tags.size();
  }

  /** The line of a tag, from 1; of the first or last if there are not so many. */
  int line(int tag) {
    return tags.isEmpty() ? 1 : tags.get(Math.clamp(tag, 0, tags.size() - 1)).line;
  }

  /** The template up to and with a tag. */
  String upTo(int tag) {
    return source.substring(0, tags.get(tag).end);
  }

  /** The template with a call in front of each tag that passes the tag's number. */
  String marked(String function) {
    final StringBuilder text = new StringBuilder();
    int from = 0;
    for (int i = 0; i < tags.size(); i++) {
      final Tag tag = tags.get(i);
      text.append(source, from, tag.begin);
      if (!INNER.matcher(source.substring(tag.begin, tag.end).replace('\n', ' ')).matches()) {
        text.append("{{ ").append(function).append('(').append(i).append(") }}");
      }
      text.append(source, tag.begin, tag.end);
      from = tag.end;
    }
    return text.append(source.substring(from)).toString();
  }
}
