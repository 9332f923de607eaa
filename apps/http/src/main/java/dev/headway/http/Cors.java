package dev.headway.http;

import java.util.List;
import java.util.function.BiConsumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Which pages a browser lets ask and read the answers (the fetch standard's cross-origin protocol).
 * A server without any says nothing, and browsers keep its answers from pages of other origins. Any
 * thread.
 *
 * @param origins as browsers write them, {@code https://host:port}; {@code *} is any
 * @param methods with which they may ask; {@code *} is any
 * @param headers that they may send; {@code *} is any
 * @param credentials whether browsers may send cookies and the like along
 */
public record Cors(
    List<String> origins, List<String> methods, List<String> headers, Credentials credentials) {

  /** Whether browsers may send what they know of the server, such as its cookies. */
  public enum Credentials {
    WITHHELD,
    ALLOWED
  }

  private static final String ANY = "*";
  private static final String PREFLIGHT_AGE_S = "600";
  private static final String ORIGIN = "Origin";

  /** No page of another origin. */
  public static final Cors NONE = of(List.of());

  /**
   * Copies.
   *
   * @throws IllegalArgumentException if pages of any origin may have credentials sent
   */
  public Cors {
    origins = List.copyOf(origins);
    methods = List.copyOf(methods);
    headers = List.copyOf(headers);
    if (credentials == Credentials.ALLOWED && (origins.isEmpty() || origins.contains(ANY))) {
      throw new IllegalArgumentException(
          "origins must be named where credentials are allowed, or any page acts for its reader:"
              + " origins="
              + origins);
    }
  }

  /** Pages of these origins may ask by GET and POST, with whatever headers. */
  public static Cors of(List<String> origins) {
    return new Cors(origins, List.of("GET", "POST"), List.of(ANY), Credentials.WITHHELD);
  }

  /**
   * Marks the answer to a page that may read it.
   *
   * @param asked headers of the request, by name
   * @param answer sets headers of the answer
   */
  public void mark(Function<String, @Nullable String> asked, BiConsumer<String, String> answer) {
    final String origin = asked.apply(ORIGIN);
    if (origins.isEmpty() || origin == null) {
      return;
    }
    if (origins.contains(ANY)) {
      answer.accept("Access-Control-Allow-Origin", ANY);
    } else {
      answer.accept("Vary", ORIGIN); // caches must not give the answer for one to another
      if (!origins.contains(origin)) {
        return;
      }
      answer.accept("Access-Control-Allow-Origin", origin);
      if (credentials == Credentials.ALLOWED) {
        answer.accept("Access-Control-Allow-Credentials", "true");
      }
    }
    answer.accept("Access-Control-Expose-Headers", "Retry-After");
  }

  /** Whether a browser asks if it may ask; it sends neither a body nor a key with that. */
  public boolean isPreflight(String method, Function<String, @Nullable String> asked) {
    return !origins.isEmpty()
        && method.equals("OPTIONS")
        && asked.apply("Access-Control-Request-Method") != null;
  }

  /** Allows what may be asked; the origin in a {@linkplain #mark marked} answer says which page. */
  public void allow(Function<String, @Nullable String> asked, BiConsumer<String, String> answer) {
    allow("Method", methods, asked, answer);
    allow("Headers", headers, asked, answer);
    answer.accept("Access-Control-Max-Age", PREFLIGHT_AGE_S);
  }

  /** What is any is what was asked for: with credentials a star would be a name. */
  private static void allow(
      String what,
      List<String> allowed,
      Function<String, @Nullable String> asked,
      BiConsumer<String, String> answer) {
    final String wanted = asked.apply("Access-Control-Request-" + what);
    final String value = allowed.contains(ANY) ? wanted : String.join(", ", allowed);
    if (value != null) {
      answer.accept("Access-Control-Allow-" + (what.equals("Method") ? "Methods" : what), value);
    }
  }
}
