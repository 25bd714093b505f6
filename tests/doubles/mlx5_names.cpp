// SPDX-License-Identifier: Apache-2.0
#include "tests/doubles/mlx5_names.h"

#include <sstream>

namespace roceready::doubles {
namespace {

// Names as Linux 6.18 has them in drivers/net/ethernet/mellanox/mlx5/core/en_stats.c and
// drivers/infiniband/hw/mlx5/counters.c.
// "#" stands for a number.
constexpr char kGeneral[] =
    "rx_packets rx_bytes tx_packets tx_bytes tx_tso_packets tx_tso_bytes tx_tso_inner_packets tx_tso_inner_bytes "
    "tx_added_vlan_packets tx_nop tx_mpwqe_blks tx_mpwqe_pkts tx_tls_encrypted_packets tx_tls_encrypted_bytes "
    "tx_tls_ooo tx_tls_dump_packets tx_tls_dump_bytes tx_tls_resync_bytes tx_tls_skip_no_sync_data "
    "tx_tls_drop_no_sync_data tx_tls_drop_bypass_req rx_lro_packets rx_lro_bytes rx_gro_packets rx_gro_bytes "
    "rx_gro_skbs rx_gro_large_hds rx_hds_nodata_packets rx_hds_nodata_bytes rx_hds_nosplit_packets "
    "rx_hds_nosplit_bytes rx_ecn_mark rx_removed_vlan_packets rx_csum_unnecessary rx_csum_none rx_csum_complete "
    "rx_csum_complete_tail rx_csum_complete_tail_slow rx_csum_unnecessary_inner rx_xdp_drop rx_xdp_redirect "
    "rx_xdp_tx_xmit rx_xdp_tx_mpwqe rx_xdp_tx_inlnw rx_xdp_tx_nops rx_xdp_tx_full rx_xdp_tx_err rx_xdp_tx_cqe "
    "tx_csum_none tx_csum_partial tx_csum_partial_inner tx_queue_stopped tx_queue_dropped tx_xmit_more tx_recover "
    "tx_cqes tx_queue_wake tx_cqe_err tx_xdp_xmit tx_xdp_mpwqe tx_xdp_inlnw tx_xdp_nops tx_xdp_full tx_xdp_err "
    "tx_xdp_cqes rx_wqe_err rx_mpwqe_filler_cqes rx_mpwqe_filler_strides rx_oversize_pkts_sw_drop "
    "rx_buff_alloc_err rx_cqe_compress_blks rx_cqe_compress_pkts rx_congst_umr rx_arfs_add rx_arfs_request_in "
    "rx_arfs_request_out rx_arfs_expired rx_arfs_err rx_recover rx_pp_alloc_fast rx_pp_alloc_slow "
    "rx_pp_alloc_slow_high_order rx_pp_alloc_empty rx_pp_alloc_refill rx_pp_alloc_waive rx_pp_recycle_cached "
    "rx_pp_recycle_cache_full rx_pp_recycle_ring rx_pp_recycle_ring_full rx_pp_recycle_released_ref "
    "rx_tls_decrypted_packets rx_tls_decrypted_bytes rx_tls_resync_req_pkt rx_tls_resync_req_start "
    "rx_tls_resync_req_end rx_tls_resync_req_skip rx_tls_resync_res_ok rx_tls_resync_res_retry "
    "rx_tls_resync_res_skip rx_tls_err ch_events ch_poll ch_arm ch_aff_change ch_force_irq ch_eq_rearm "
    "rx_xsk_packets rx_xsk_bytes rx_xsk_csum_complete rx_xsk_csum_unnecessary rx_xsk_csum_unnecessary_inner "
    "rx_xsk_csum_none rx_xsk_ecn_mark rx_xsk_removed_vlan_packets rx_xsk_xdp_drop rx_xsk_xdp_redirect "
    "rx_xsk_wqe_err rx_xsk_mpwqe_filler_cqes rx_xsk_mpwqe_filler_strides rx_xsk_oversize_pkts_sw_drop "
    "rx_xsk_buff_alloc_err rx_xsk_cqe_compress_blks rx_xsk_cqe_compress_pkts rx_xsk_congst_umr tx_xsk_xmit "
    "tx_xsk_mpwqe tx_xsk_inlnw tx_xsk_full tx_xsk_err tx_xsk_cqes rx_out_of_buffer rx_if_down_packets "
    "rx_steer_missed_packets dev_internal_queue_oob rx_oversize_pkts_buffer rx_vport_unicast_packets "
    "rx_vport_unicast_bytes tx_vport_unicast_packets tx_vport_unicast_bytes rx_vport_multicast_packets "
    "rx_vport_multicast_bytes tx_vport_multicast_packets tx_vport_multicast_bytes rx_vport_broadcast_packets "
    "rx_vport_broadcast_bytes tx_vport_broadcast_packets tx_vport_broadcast_bytes rx_vport_rdma_unicast_packets "
    "rx_vport_rdma_unicast_bytes tx_vport_rdma_unicast_packets tx_vport_rdma_unicast_bytes "
    "rx_vport_rdma_multicast_packets rx_vport_rdma_multicast_bytes tx_vport_rdma_multicast_packets "
    "tx_vport_rdma_multicast_bytes vport_loopback_packets vport_loopback_bytes tx_packets_phy rx_packets_phy "
    "rx_crc_errors_phy tx_bytes_phy rx_bytes_phy tx_multicast_phy tx_broadcast_phy rx_multicast_phy "
    "rx_broadcast_phy rx_in_range_len_errors_phy rx_out_of_range_len_phy rx_oversize_pkts_phy rx_symbol_err_phy "
    "tx_mac_control_phy rx_mac_control_phy rx_unsupported_op_phy rx_pause_ctrl_phy tx_pause_ctrl_phy "
    "rx_discards_phy tx_discards_phy tx_errors_phy rx_undersize_pkts_phy rx_fragments_phy rx_jabbers_phy "
    "rx_64_bytes_phy rx_65_to_127_bytes_phy rx_128_to_255_bytes_phy rx_256_to_511_bytes_phy "
    "rx_512_to_1023_bytes_phy rx_1024_to_1518_bytes_phy rx_1519_to_2047_bytes_phy rx_2048_to_4095_bytes_phy "
    "rx_4096_to_8191_bytes_phy rx_8192_to_10239_bytes_phy link_down_events_phy rx_pcs_symbol_err_phy "
    "rx_corrected_bits_phy rx_err_lane_0_phy rx_err_lane_1_phy rx_err_lane_2_phy rx_err_lane_3_phy "
    "rx_buffer_passed_thres_phy rx_pci_signal_integrity tx_pci_signal_integrity outbound_pci_buffer_overflow "
    "outbound_pci_stalled_rd outbound_pci_stalled_wr outbound_pci_stalled_rd_events "
    "outbound_pci_stalled_wr_events ";
constexpr char kPriority[] = "rx_prio#_bytes rx_prio#_packets rx_prio#_discards tx_prio#_bytes tx_prio#_packets ";
constexpr char kPriorityPause[] =
    "rx_prio#_pause rx_prio#_pause_duration tx_prio#_pause tx_prio#_pause_duration rx_prio#_pause_transition ";
constexpr char kGlobalPause[] =
    "rx_global_pause rx_global_pause_duration tx_global_pause tx_global_pause_duration rx_global_pause_transition ";
constexpr char kStormAndModule[] =
    "tx_pause_storm_warning_events tx_pause_storm_error_events module_unplug module_bus_stuck module_high_temp "
    "module_bad_shorted ";
constexpr char kChannel[] = "ch#_events ch#_poll ch#_arm ch#_aff_change ch#_force_irq ch#_eq_rearm ";
constexpr char kReceiveRing[] =
    "rx#_packets rx#_bytes rx#_csum_complete rx#_csum_complete_tail rx#_csum_complete_tail_slow "
    "rx#_csum_unnecessary rx#_csum_unnecessary_inner rx#_csum_none rx#_xdp_drop rx#_xdp_redirect rx#_lro_packets "
    "rx#_lro_bytes rx#_gro_packets rx#_gro_bytes rx#_gro_skbs rx#_gro_large_hds rx#_hds_nodata_packets "
    "rx#_hds_nodata_bytes rx#_hds_nosplit_packets rx#_hds_nosplit_bytes rx#_ecn_mark rx#_removed_vlan_packets "
    "rx#_wqe_err rx#_mpwqe_filler_cqes rx#_mpwqe_filler_strides rx#_oversize_pkts_sw_drop rx#_buff_alloc_err "
    "rx#_cqe_compress_blks rx#_cqe_compress_pkts rx#_congst_umr rx#_arfs_add rx#_arfs_request_in "
    "rx#_arfs_request_out rx#_arfs_expired rx#_arfs_err rx#_recover rx#_pp_alloc_fast rx#_pp_alloc_slow "
    "rx#_pp_alloc_slow_high_order rx#_pp_alloc_empty rx#_pp_alloc_refill rx#_pp_alloc_waive rx#_pp_recycle_cached "
    "rx#_pp_recycle_cache_full rx#_pp_recycle_ring rx#_pp_recycle_ring_full rx#_pp_recycle_released_ref "
    "rx#_tls_decrypted_packets rx#_tls_decrypted_bytes rx#_tls_resync_req_pkt rx#_tls_resync_req_start "
    "rx#_tls_resync_req_end rx#_tls_resync_req_skip rx#_tls_resync_res_ok rx#_tls_resync_res_retry "
    "rx#_tls_resync_res_skip rx#_tls_err rx#_xdp_tx_xmit rx#_xdp_tx_mpwqe rx#_xdp_tx_inlnw rx#_xdp_tx_nops "
    "rx#_xdp_tx_full rx#_xdp_tx_err rx#_xdp_tx_cqes ";
constexpr char kSendQueue[] =
    "tx#_packets tx#_bytes tx#_tso_packets tx#_tso_bytes tx#_tso_inner_packets tx#_tso_inner_bytes "
    "tx#_csum_partial tx#_csum_partial_inner tx#_added_vlan_packets tx#_nop tx#_timestamps tx#_mpwqe_blks "
    "tx#_mpwqe_pkts tx#_tls_encrypted_packets tx#_tls_encrypted_bytes tx#_tls_ooo tx#_tls_dump_packets "
    "tx#_tls_dump_bytes tx#_tls_resync_bytes tx#_tls_skip_no_sync_data tx#_tls_drop_no_sync_data "
    "tx#_tls_drop_bypass_req tx#_csum_none tx#_stopped tx#_dropped tx#_xmit_more tx#_recover tx#_cqes tx#_wake "
    "tx#_cqe_err ";
constexpr char kXdpQueue[] =
    "tx#_xdp_xmit tx#_xdp_mpwqe tx#_xdp_inlnw tx#_xdp_nops tx#_xdp_full tx#_xdp_err tx#_xdp_cqes ";
constexpr char kHostBuffer[] = "rx_prio#_buf_discard rx_prio#_cong_discard rx_prio#_marked ";
constexpr char kHardwareCounters[] =
    "rx_write_requests rx_read_requests rx_atomic_requests rx_dct_connect out_of_buffer out_of_sequence "
    "duplicate_request rnr_nak_retry_err packet_seq_err implied_nak_seq_err local_ack_timeout_err "
    "resp_local_length_error resp_cqe_error req_cqe_error req_remote_invalid_request req_remote_access_errors "
    "resp_remote_access_errors resp_cqe_flush_error req_cqe_flush_error req_transport_retries_exceeded "
    "req_rnr_retries_exceeded roce_adp_retrans roce_adp_retrans_to roce_slow_restart roce_slow_restart_cnps "
    "roce_slow_restart_trans rp_cnp_ignored rp_cnp_handled np_ecn_marked_roce_packets np_cnp_sent "
    "rx_icrc_encapsulated ";

void add(std::vector<std::string>& out, const char* names, const std::string& number = {}) {
  std::istringstream in{names};
  for (std::string name; in >> name;) {
    if (const auto mark = name.find('#'); mark != std::string::npos) name.replace(mark, 1, number);
    out.push_back(name);
  }
}

void add_numbered(std::vector<std::string>& out, const char* names, unsigned count) {
  for (unsigned i = 0; i < count; ++i) add(out, names, std::to_string(i));
}

}  // namespace

std::vector<std::string> mlx5_statistics_names(std::uint8_t pfc, bool global_pause, unsigned channels) {
  constexpr unsigned kPriorityCount = 8;
  std::vector<std::string> out;
  add(out, kGeneral);
  add_numbered(out, kPriority, kPriorityCount);
  for (unsigned priority = 0; priority < kPriorityCount; ++priority) {
    if ((pfc >> priority & 1U) != 0) add(out, kPriorityPause, std::to_string(priority));
  }
  if (global_pause) add(out, kGlobalPause);
  add(out, kStormAndModule);
  for (const char* queues : {kChannel, kReceiveRing, kSendQueue, kXdpQueue}) add_numbered(out, queues, channels);
  add_numbered(out, kHostBuffer, kPriorityCount);
  return out;
}

std::vector<std::string> mlx5_hardware_counter_names() {
  std::vector<std::string> out;
  add(out, kHardwareCounters);
  return out;
}

}  // namespace roceready::doubles
