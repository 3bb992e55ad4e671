//! The Python face of `deciban-core`: convert, check, let go of the interpreter, catch panics, map errors.
#[cfg(feature = "ablation")]
mod ablation;
mod blocks;
mod callable;
mod categories;
mod coordinate;
mod corpus;
mod counter;
mod counting;
mod crammer_singer;
mod densities;
mod descending;
mod dictionary;
mod digest;
mod direct;
mod distinct;
mod exact;
mod experts;
mod files;
mod grams;
mod information;
mod items;
mod kernels;
mod known;
mod layer;
mod logarithms;
mod lone;
mod losses;
mod networks;
mod products;
mod reader;
mod repeats;
mod rows;
mod shared;
mod solving;
mod stepping;
mod svmlight;
mod word_sets;
mod wordbook;
mod work;

use pyo3::prelude::*;

/// The compiled core.
#[pymodule]
mod _core {
    #[cfg(feature = "ablation")]
    #[pymodule_export]
    use super::ablation::{ablation_left_out, ablation_steps};
    #[pymodule_export]
    use super::blocks::{KernelTiles, block_steps, kernel_measure};
    #[pymodule_export]
    use super::categories::{class_categories, largest};
    #[pymodule_export]
    use super::coordinate::coordinate;
    #[pymodule_export]
    use super::corpus::TokenCorpus;
    #[pymodule_export]
    use super::counter::Counter;
    #[pymodule_export]
    use super::counting::{class_moments, class_sums};
    #[pymodule_export]
    use super::crammer_singer::crammer_singer;
    #[pymodule_export]
    use super::densities::{gaussian_scores, squared_lengths, student_scores};
    #[pymodule_export]
    use super::descending::{descend, perceptron};
    #[pymodule_export]
    use super::dictionary::{Dictionary, log_posterior};
    #[pymodule_export]
    use super::digest::{Sha256, digest, digest_joined, digest_stretches};
    #[pymodule_export]
    use super::direct::{interior_point, newton, newton_softmax};
    #[pymodule_export]
    use super::distinct::{distinct, row_digests};
    #[pymodule_export]
    use super::exact::{
        central_fourths, central_norms, central_products, central_squares, class_powers, class_products,
        total_of_parts,
    };
    #[pymodule_export]
    use super::experts::{Experts, counts_of_words, fuse_opinions, sums_of_words, teach_experts};
    #[pymodule_export]
    use super::files::{Files, Items};
    #[pymodule_export]
    use super::grams::{Grams, rows_with, weigh_rows};
    #[pymodule_export]
    use super::information::information;
    #[pymodule_export]
    use super::kernels::{kernel_gram, kernel_scores, kernel_within, smo, smo_of_rows};
    #[pymodule_export]
    use super::known::{finish_exactly, smo_of_gram, temperature};
    #[pymodule_export]
    use super::layer::{nonzeros, rows_times, rows_turned_times};
    #[pymodule_export]
    use super::logarithms::log_table;
    #[pymodule_export]
    use super::lone::gather_lone;
    #[pymodule_export]
    use super::losses::{loss_along, loss_conjugate, loss_look, loss_shift, loss_table, penalty_table};
    #[pymodule_export]
    use super::networks::network_steps;
    #[pymodule_export]
    use super::products::{combination, gram, gram_diagonals, gram_times, scores, scores_of_counts, sizes};
    #[pymodule_export]
    use super::reader::Reader;
    #[pymodule_export]
    use super::repeats::has_repeats;
    #[pymodule_export]
    use super::rows::OutsideSupport;
    #[pymodule_export]
    use super::shared::SharedKernel;
    #[pymodule_export]
    use super::solving::{Trace, dual_coordinate, dual_coordinate_each};
    #[pymodule_export]
    use super::stepping::{adam_step, momentum_step};
    #[pymodule_export]
    use super::svmlight::svmlight_pairs;
    #[pymodule_export]
    use super::word_sets::WordSets;
    #[pymodule_export]
    use super::wordbook::Wordbook;
    #[pymodule_export]
    use super::work::{available_threads, halt_by, limit_threads};
}
