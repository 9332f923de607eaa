package dev.headway.server;

import dev.headway.http.server.ServerExchange;
import java.util.UUID;
import java.util.regex.Pattern;

/** What requests are called, in answers, journals and logs. Any thread. */
final class RequestIds {

  static final String HEADER = "x-request-id";

  /** Of a header that is taken as it is. */
  static final Pattern ID = Pattern.compile("[A-Za-z0-9._:/@-]{1,128}");

  private RequestIds() {}

  /** The caller's name for it, so that its logs and this server's journal agree; or a new one. */
  static String of(ServerExchange exchange) {
    final String given = exchange.header(HEADER);
    return given != null && ID.matcher(given).matches()
        ? given
        : UUID.randomUUID().toString().replace("-", "");
  }
}
