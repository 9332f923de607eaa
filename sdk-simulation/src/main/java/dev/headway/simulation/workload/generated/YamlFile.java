package dev.headway.simulation.workload.generated;

import dev.headway.simulation.workload.TraceFormatException;
import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.file.Files;
import java.nio.file.Path;
import tools.jackson.core.JacksonException;
import tools.jackson.core.StreamReadFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.dataformat.yaml.YAMLFactory;
import tools.jackson.dataformat.yaml.YAMLMapper;

/** Reads a YAML file whole; a key that is given twice is an error. */
final class YamlFile {
  private static final long LONGEST_BYTES = 16 << 20;
  private static final YAMLMapper YAML =
      YAMLMapper.builder(
              YAMLFactory.builder().enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION).build())
          .build();

  private YamlFile() {}

  static SpecNode read(Path file) throws IOException {
    if (Files.size(file) > LONGEST_BYTES) {
      throw new TraceFormatException(
          "a YAML file must not be longer than %d bytes: file=%s".formatted(LONGEST_BYTES, file),
          null);
    }
    try {
      final JsonNode root = YAML.readTree(Files.readString(file).replaceFirst("^\uFEFF", ""));
      return new SpecNode(file.toString(), "top", root);
    } catch (CharacterCodingException e) {
      throw new TraceFormatException("a YAML file must be UTF-8 text: file=" + file, e);
    } catch (JacksonException e) {
      throw new TraceFormatException(
          "a YAML file must be readable: file=%s%s; %s"
              .formatted(file, lineOf(e), e.getOriginalMessage()),
          e);
    }
  }

  /** Jackson knows no place where its own limits end the reading. */
  private static String lineOf(JacksonException e) {
    return e.getLocation() == null ? "" : ", line=" + e.getLocation().getLineNr();
  }
}
