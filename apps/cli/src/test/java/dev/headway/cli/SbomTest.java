package dev.headway.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The SBOMs that the build leaves say all that is carried, and all that is carried may be. */
@Tag("sbom")
class SbomTest {

  private static final Path ROOT = Path.of("..", "..");
  private static final Pattern PUBLISHED = Pattern.compile("<artifactId>(headway-[a-z0-9-]+)<");
  private static final Pattern DEPENDENCY =
      Pattern.compile(
          "\\s+([\\w.-]+):([\\w.-]+):jar:(?:[\\w.-]+:)?([\\w.-]+):(?:compile|runtime).*");

  /**
   * Licences that may be passed on with a program under Apache-2.0; one of a component is enough.
   */
  private static final Set<String> LICENCES =
      Set.of(
          "Apache-2.0",
          "MIT",
          "BSD-2-Clause",
          "BSD-3-Clause",
          "CC0-1.0",
          "EPL-2.0",
          "MPL-2.0",
          "Mozilla Public License version 2.0");

  private static List<Path> modules() throws IOException {
    final Set<String> published = new TreeSet<>();
    PUBLISHED
        .matcher(Files.readString(ROOT.resolve("bom").resolve("pom.xml")))
        .results()
        .forEach(found -> published.add(found.group(1)));
    published.remove("headway-bom");
    final List<Path> modules = new ArrayList<>();
    for (Path parent : List.of(ROOT, ROOT.resolve("integrations"))) {
      try (Stream<Path> folders = Files.list(parent)) {
        for (Path folder : folders.sorted().toList()) {
          final Path pom = folder.resolve("pom.xml");
          if (Files.exists(pom) && published.remove(own(Files.readString(pom)))) {
            modules.add(folder);
          }
        }
      }
    }
    assertThat(published).as("published modules that are in no folder").isEmpty();
    return modules;
  }

  private static String own(String pom) {
    final int parent = Math.max(0, pom.indexOf("</parent>"));
    final var found = PUBLISHED.matcher(pom).region(parent, pom.length());
    return found.find() ? found.group(1) : "";
  }

  private static JsonNode components(Path module) {
    return JsonMapper.shared()
        .readTree(module.resolve("target").resolve("bom.json").toFile())
        .path("components");
  }

  @ParameterizedTest
  @MethodSource("modules")
  void shouldListWhatTheModuleNeeds(Path module) throws IOException {
    final Set<String> needed = new TreeSet<>();
    for (String line : Files.readAllLines(module.resolve("target").resolve("dependencies.txt"))) {
      final var found = DEPENDENCY.matcher(line.replaceAll("\\u001b\\[[0-9;]*m", ""));
      if (found.matches()) {
        needed.add(found.group(1) + ":" + found.group(2) + ":" + found.group(3));
      }
    }

    final Set<String> listed = new TreeSet<>();
    for (JsonNode component : components(module)) {
      listed.add(
          component.path("group").asString()
              + ":"
              + component.path("name").asString()
              + ":"
              + component.path("version").asString());
    }
    assertThat(listed).isNotEmpty().isEqualTo(needed);
  }

  @ParameterizedTest
  @MethodSource("modules")
  void shouldCarryKnownLicencesOnly(Path module) {
    final Map<String, Set<String>> unknown = new TreeMap<>();
    for (JsonNode component : components(module)) {
      final Set<String> licences = new TreeSet<>();
      for (JsonNode each : component.path("licenses")) {
        final JsonNode licence = each.path("license");
        licences.add(licence.path("id").asString(licence.path("name").asString("")));
      }
      if (licences.stream().noneMatch(LICENCES::contains)) {
        unknown.put(component.path("purl").asString(), licences);
      }
    }
    assertThat(unknown).isEmpty();
  }
}
