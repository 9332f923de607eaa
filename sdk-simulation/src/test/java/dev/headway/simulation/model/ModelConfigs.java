package dev.headway.simulation.model;

/** The fields of published {@code config.json} files that a shape depends on. */
public enum ModelConfigs {
  LLAMA_3_1_8B(
      """
      {"model_type": "llama", "hidden_size": 4096, "num_hidden_layers": 32,
       "num_attention_heads": 32, "num_key_value_heads": 8, "intermediate_size": 14336,
       "vocab_size": 128256, "torch_dtype": "bfloat16"}"""),
  LLAMA_3_1_70B(
      """
      {"model_type": "llama", "hidden_size": 8192, "num_hidden_layers": 80,
       "num_attention_heads": 64, "num_key_value_heads": 8, "intermediate_size": 28672,
       "vocab_size": 128256, "torch_dtype": "bfloat16"}"""),
  QWEN3_14B(
      """
      {"model_type": "qwen3", "hidden_size": 5120, "num_hidden_layers": 40,
       "num_attention_heads": 40, "num_key_value_heads": 8, "head_dim": 128,
       "intermediate_size": 17408, "vocab_size": 151936, "torch_dtype": "bfloat16",
       "use_sliding_window": false, "max_window_layers": 40, "sliding_window": null}"""),
  QWEN3_30B_A3B(
      """
      {"model_type": "qwen3_moe", "hidden_size": 2048, "num_hidden_layers": 48,
       "num_attention_heads": 32, "num_key_value_heads": 4, "head_dim": 128,
       "intermediate_size": 6144, "vocab_size": 151936, "torch_dtype": "bfloat16",
       "num_experts": 128, "num_experts_per_tok": 8, "moe_intermediate_size": 768,
       "decoder_sparse_step": 1, "mlp_only_layers": []}"""),
  MIXTRAL_8X7B(
      """
      {"model_type": "mixtral", "hidden_size": 4096, "num_hidden_layers": 32,
       "num_attention_heads": 32, "num_key_value_heads": 8, "intermediate_size": 14336,
       "vocab_size": 32000, "torch_dtype": "bfloat16", "num_local_experts": 8,
       "num_experts_per_tok": 2}"""),
  DEEPSEEK_V3(
      """
      {"model_type": "deepseek_v3", "hidden_size": 7168, "num_hidden_layers": 61,
       "num_attention_heads": 128, "num_key_value_heads": 128, "intermediate_size": 18432,
       "vocab_size": 129280, "torch_dtype": "bfloat16", "num_experts_per_tok": 8,
       "moe_intermediate_size": 2048, "first_k_dense_replace": 3, "moe_layer_freq": 1,
       "kv_lora_rank": 512, "q_lora_rank": 1536, "qk_rope_head_dim": 64,
       "qk_nope_head_dim": 128, "v_head_dim": 128,
       "quantization_config": {"quant_method": "fp8"}}"""),
  DEEPSEEK_V2_LITE(
      """
      {"model_type": "deepseek_v2", "hidden_size": 2048, "num_hidden_layers": 27,
       "num_attention_heads": 16, "num_key_value_heads": 16, "intermediate_size": 10944,
       "vocab_size": 102400, "torch_dtype": "bfloat16", "n_routed_experts": 64,
       "num_experts_per_tok": 6, "moe_intermediate_size": 1408, "n_shared_experts": 2,
       "first_k_dense_replace": 1, "moe_layer_freq": 1, "kv_lora_rank": 512,
       "q_lora_rank": null, "qk_rope_head_dim": 64, "qk_nope_head_dim": 128,
       "v_head_dim": 128}"""),
  LLAMA_4_SCOUT(
      """
      {"model_type": "llama4_text", "hidden_size": 5120, "num_hidden_layers": 48,
       "num_attention_heads": 40, "num_key_value_heads": 8, "head_dim": 128,
       "intermediate_size": 8192, "intermediate_size_mlp": 16384, "vocab_size": 202048,
       "torch_dtype": "bfloat16", "num_local_experts": 16, "num_experts_per_tok": 1,
       "interleave_moe_layer_step": 1}"""),
  GPT_OSS_20B(
      """
      {"model_type": "gpt_oss", "hidden_size": 2880, "num_hidden_layers": 24,
       "num_attention_heads": 64, "num_key_value_heads": 8, "head_dim": 64,
       "intermediate_size": 2880, "vocab_size": 201088, "num_local_experts": 32,
       "num_experts_per_tok": 4, "sliding_window": 128, "tie_word_embeddings": false,
       "quantization_config": {"quant_method": "mxfp4", "modules_to_not_convert":
       ["model.layers.*.self_attn", "model.layers.*.mlp.router", "model.embed_tokens",
       "lm_head"]}}""");

  private final String json;

  ModelConfigs(String json) {
    this.json = json;
  }

  public String json() {
    return json;
  }

  /** The same with more fields. */
  public String with(String fields) {
    return json.substring(0, json.lastIndexOf('}')) + ", " + fields + "}";
  }
}
