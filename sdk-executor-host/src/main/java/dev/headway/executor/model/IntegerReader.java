package dev.headway.executor.model;

import java.util.List;
import java.util.Set;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.BooleanNode;
import tools.jackson.databind.node.IntNode;
import tools.jackson.databind.node.StringNode;

/**
 * Reads {@code quant_method: awq} and {@code gptq}: integers of 4 bits, with GPTQ of 8 too, for all
 * linear layers of the decoder but those that are named.
 *
 * <p>Sources: {@code AwqConfig} in AutoAWQ's {@code models/_config.py}, {@code AwqConfig} and
 * {@code GPTQConfig} in transformers' {@code utils/quantization_config.py}, {@code
 * quantization/config.py} in GPTQModel.
 */
final class IntegerReader {

  private static final List<String> HEAD = List.of("lm_head");

  private IntegerReader() {}

  static WeightQuantization awq(JsonFile json) {
    json.requireOnly(
        Set.of(
            "quant_method",
            "bits",
            "w_bit",
            "group_size",
            "q_group_size",
            "zero_point",
            "version",
            "modules_to_not_convert",
            "do_fuse",
            "backend",
            "pre_quantized"));
    json.requireIfThere("bits", IntNode.valueOf(4));
    json.requireIfThere("w_bit", IntNode.valueOf(4));
    json.requireIfThere("zero_point", BooleanNode.TRUE);
    json.requireIfThere("do_fuse", BooleanNode.FALSE);
    final String version = json.optionalString("version", "gemm");
    if (!version.equalsIgnoreCase("gemm")) {
      throw json.wrong("version", "gemm", json.root().path("version"));
    }
    final int groupSize = groupSize(json, json.has("q_group_size") ? "q_group_size" : "group_size");
    final MatrixFormat format =
        new IntegerFormat(IntegerFormat.Kind.AWQ, 4, groupSize, true, false);
    final List<String> plain = json.optionalStrings("modules_to_not_convert");
    return modules ->
        QuantizationReader.isNamed(HEAD, modules) || isMeant(plain, modules) ? null : format;
  }

  /** As AutoAWQ: a layer is meant whose name has an entry in it. */
  private static boolean isMeant(List<String> list, List<String> modules) {
    return list.stream()
        .anyMatch(entry -> modules.stream().anyMatch(module -> module.contains(entry)));
  }

  /** How the integers were found does not matter once they are there. */
  static WeightQuantization gptq(JsonFile json) {
    json.requireOnly(
        Set.of(
            "quant_method",
            "bits",
            "group_size",
            "desc_act",
            "sym",
            "checkpoint_format",
            "format",
            "lm_head",
            "pack_dtype",
            "is_marlin_format",
            "damp_percent",
            "damp_auto_increment",
            "static_groups",
            "true_sequential",
            "model_name_or_path",
            "model_file_base_name",
            "model_seqlen",
            "meta",
            "dataset",
            "tokenizer",
            "batch_size",
            "block_name_to_quantize",
            "module_name_preceding_first_block",
            "pad_token_id",
            "max_input_length",
            "cache_block_outputs",
            "use_cuda_fp16",
            "use_exllama",
            "disable_exllama",
            "exllama_config",
            "backend"));
    json.requireIfThere("lm_head", BooleanNode.FALSE);
    json.requireIfThere("is_marlin_format", BooleanNode.FALSE);
    json.requireIfThere("pack_dtype", StringNode.valueOf("int32"));
    final int bits = json.requiredInt("bits");
    if (bits != 4 && bits != 8) {
      throw json.wrong("bits", "4 or 8", json.root().path("bits"));
    }
    final MatrixFormat format =
        new IntegerFormat(
            kind(json),
            bits,
            groupSize(json, "group_size"),
            true,
            json.optionalBoolean("desc_act", false));
    return modules -> QuantizationReader.isNamed(HEAD, modules) ? null : format;
  }

  private static IntegerFormat.Kind kind(JsonFile json) {
    final String name = json.has("checkpoint_format") ? "checkpoint_format" : "format";
    final JsonNode value = json.root().path(name);
    return switch (json.optionalString(name, "gptq")) {
      case "gptq" -> IntegerFormat.Kind.GPTQ;
      case "gptq_v2" -> IntegerFormat.Kind.GPTQ_V2;
      default -> throw json.wrong(name, "gptq or gptq_v2", value);
    };
  }

  /** 0 for all inputs, which is written as -1. */
  static int groupSize(JsonFile json, String name) {
    final int size = json.requiredInt(name);
    if (size < 1 && size != -1) {
      throw json.wrong(name, "-1, or an integer >= 1", json.root().path(name));
    }
    return size == -1 ? 0 : size;
  }
}
