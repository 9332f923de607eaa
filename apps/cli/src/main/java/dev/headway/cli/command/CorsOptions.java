package dev.headway.cli.command;

import dev.headway.http.Cors;
import dev.headway.http.Cors.Credentials;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Which pages may ask a server from a browser, on the command line. Names are vLLM's, and so are
 * values if they are JSON.
 */
final class CorsOptions {

  private static final String ANY = "*";
  private static final Pattern ORIGIN = Pattern.compile("[a-z][a-z0-9+.-]*://[^/?#@,\\s\\p{Lu}]+");
  private static final Pattern NAME = Pattern.compile("[A-Za-z0-9!#$%&'*+.^_`|~-]+");

  @Option(
      names = {"--cors", "--allowed-origins"},
      paramLabel = "ORIGIN",
      description =
          "Pages of this origin, as in http://localhost:3000, may call the server from a browser;"
              + " repeat it or give a JSON array, or * for any (none).")
  private List<String> origins = new ArrayList<>();

  @Needs("--cors")
  @Option(
      names = "--allowed-methods",
      paramLabel = "METHOD",
      description =
          "Methods with which these pages may ask; repeat it or give a JSON array, or * for any (GET"
              + " and POST).")
  private List<String> methods = new ArrayList<>();

  @Needs("--cors")
  @Option(
      names = "--allowed-headers",
      paramLabel = "NAME",
      description =
          "Headers that these pages may send; repeat it or give a JSON array, or * for any (any).")
  private List<String> headers = new ArrayList<>();

  @Needs("--cors")
  @Option(
      names = "--allow-credentials",
      description =
          "Let browsers send cookies and the like along with what these pages ask; every --cors must"
              + " be an origin.")
  private boolean allowCredentials;

  /** As they come. */
  CorsOptions() {}

  /**
   * The rules.
   *
   * @throws IllegalArgumentException naming the option that is wrong
   */
  Cors cors() {
    final Cors usual = Cors.of(listed("--cors", origins));
    usual.origins().forEach(CorsOptions::requireOrigin);
    if (allowCredentials && usual.origins().contains(ANY)) {
      throw new IllegalArgumentException(
          "--cors must name origins where there is --allow-credentials, or any page acts for its"
              + " reader: --cors=*");
    }
    return new Cors(
        usual.origins(),
        names("--allowed-methods", methods, usual.methods()).stream()
            .map(method -> method.toUpperCase(Locale.ROOT))
            .toList(),
        names("--allowed-headers", headers, usual.headers()),
        allowCredentials ? Credentials.ALLOWED : Credentials.WITHHELD);
  }

  private static List<String> names(String option, List<String> given, List<String> usual) {
    final List<String> names = listed(option, given);
    for (String name : names) {
      if (!NAME.matcher(name).matches()) {
        throw new IllegalArgumentException(
            option + " must be * or a name without blanks and commas: " + option + "=" + name);
      }
    }
    return names.isEmpty() ? usual : names;
  }

  /** vLLM has one JSON array where others repeat the option. */
  private static List<String> listed(String option, List<String> given) {
    final List<String> listed = new ArrayList<>();
    for (String value : given) {
      if (value.startsWith("[")) {
        final JsonNode array = parsed(value);
        if (array == null || !array.valueStream().allMatch(JsonNode::isString)) {
          throw new IllegalArgumentException(
              option + " must be a JSON array of strings, or no array: " + option + "=" + value);
        }
        array.forEach(each -> listed.add(each.stringValue()));
      } else {
        listed.add(value);
      }
    }
    return listed;
  }

  private static @Nullable JsonNode parsed(String value) {
    try {
      return JsonMapper.shared().readTree(value);
    } catch (JacksonException e) {
      return null;
    }
  }

  private static void requireOrigin(String origin) {
    if (!origin.equals(ANY) && !ORIGIN.matcher(origin).matches()) {
      throw new IllegalArgumentException(
          "--cors must be * or an origin as browsers send it, a scheme and a host in small letters"
              + " and no path: --cors="
              + origin);
    }
  }
}
