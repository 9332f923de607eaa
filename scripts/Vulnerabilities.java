import java.io.IOException;
import java.io.InputStream;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.apache.maven.artifact.versioning.ComparableVersion;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Compares the components of a CycloneDX SBOM with advisories in OSV's format; versions by Maven's
 * own order. Started by vulnerabilities.sh, which says how.
 */
public final class Vulnerabilities {

  private static final int NOT_SCANNED = 2;
  private static final JsonMapper JSON = JsonMapper.shared();

  private final Map<String, String> versions = new TreeMap<>();
  private final List<String> found = new ArrayList<>();
  private int advisories;
  private String newest = "";

  public static void main(String[] args) throws IOException {
    final Vulnerabilities scan = new Vulnerabilities();
    scan.readComponents(Path.of(args[1]));
    final Path database = Path.of(args[0]);
    if (Files.isDirectory(database)) {
      scan.readAdvisories(database);
    } else {
      try (FileSystem zip = FileSystems.newFileSystem(database)) {
        scan.readAdvisories(zip.getPath("/"));
      }
    }
    System.exit(scan.report(args[0], args[1]));
  }

  private void readComponents(Path sbom) throws IOException {
    try (InputStream in = Files.newInputStream(sbom)) {
      for (JsonNode component : JSON.readTree(in).path("components")) {
        versions.put(
            component.path("group").asString() + ":" + component.path("name").asString(),
            component.path("version").asString());
      }
    }
  }

  private void readAdvisories(Path folder) throws IOException {
    try (Stream<Path> files = Files.walk(folder)) {
      for (Path file : (Iterable<Path>) files::iterator) {
        if (file.toString().endsWith(".json")) {
          try (InputStream in = Files.newInputStream(file)) {
            advisory(JSON.readTree(in));
          } catch (JacksonException e) {
            throw new IOException("an advisory must be JSON: file=" + file, e);
          }
        }
      }
    }
  }

  private void advisory(JsonNode advisory) {
    boolean isMaven = false;
    for (JsonNode affected : advisory.path("affected")) {
      final JsonNode of = affected.path("package");
      isMaven |= of.path("ecosystem").asString("").equals("Maven");
      final String name = of.path("name").asString("");
      final String version = versions.get(name);
      if (version != null
          && of.path("ecosystem").asString("").equals("Maven")
          && !advisory.has("withdrawn")
          && isAffected(affected, version)) {
        found.add(
            advisory.path("id").asString()
                + " "
                + advisory.path("aliases").valueStream().map(JsonNode::asString).toList()
                + " "
                + name
                + " "
                + version
                + ", "
                + advisory.path("database_specific").path("severity").asString("severity unknown")
                + ": "
                + advisory.path("summary").asString(""));
      }
    }
    if (isMaven) {
      advisories++;
      final String modified = advisory.path("modified").asString("");
      newest = modified.compareTo(newest) > 0 ? modified : newest;
    }
  }

  private static boolean isAffected(JsonNode affected, String version) {
    for (JsonNode listed : affected.path("versions")) {
      if (listed.asString("").equals(version)) {
        return true;
      }
    }
    for (JsonNode range : affected.path("ranges")) {
      if (range.path("type").asString("").equals("ECOSYSTEM") && isIn(range, version)) {
        return true;
      }
    }
    return false;
  }

  /** In the order of versions, which a database need not keep: the last that applies decides. */
  private static boolean isIn(JsonNode range, String version) {
    final List<JsonNode> events = new ArrayList<>(range.path("events").valueStream().toList());
    events.sort((one, other) -> compare(versionOf(one), versionOf(other)));
    boolean isIn = false;
    for (JsonNode event : events) {
      if (event.has("introduced")) {
        final String from = event.path("introduced").asString();
        isIn |= from.equals("0") || compare(version, from) >= 0;
      } else if (event.has("fixed")) {
        isIn &= compare(version, event.path("fixed").asString()) < 0;
      } else if (event.has("last_affected")) {
        isIn &= compare(version, event.path("last_affected").asString()) <= 0;
      }
    }
    return isIn;
  }

  private static String versionOf(JsonNode event) {
    return event.valueStream().findFirst().map(value -> value.asString("0")).orElse("0");
  }

  private static int compare(String one, String other) {
    return new ComparableVersion(one).compareTo(new ComparableVersion(other));
  }

  private int report(String database, String sbom) {
    if (advisories == 0 || versions.isEmpty()) {
      System.err.println(
          "not scanned: the database must have advisories of Maven, and the SBOM components:"
              + " database=%s, advisories=%d, sbom=%s, components=%d"
                  .formatted(database, advisories, sbom, versions.size()));
      return NOT_SCANNED;
    }
    System.out.printf(
        "scanned %d components of %s: advisories=%d, newest of them=%s%n",
        versions.size(), sbom, advisories, newest);
    found.forEach(System.out::println);
    System.out.println("known vulnerabilities: " + found.size());
    return found.isEmpty() ? 0 : 1;
  }
}
